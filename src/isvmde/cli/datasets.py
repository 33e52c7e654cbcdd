"""``isvmde datasets``: the data sets that are built in."""

from __future__ import annotations

import click

from isvmde.cli.inputs import examples, json_option
from isvmde.cli.output import print_json, print_table, records
from isvmde.datasets import list_datasets


@click.command(epilog=examples("isvmde datasets", "isvmde datasets --json"))
@json_option
def datasets(as_json: bool) -> None:
    """List the 15 data sets, all built in: size, classes, imbalance, source."""
    table = list_datasets().reset_index()
    if as_json:
        print_json(records(table))
        return
    shown = table.drop(columns="attributes")
    shown["imbalance_ratio"] = shown["imbalance_ratio"].map("{:.2f}".format)
    print_table(
        shown.rename(columns=lambda name: name.replace("_", " ")),
        title=f"{len(shown)} data sets, all built in",
    )
