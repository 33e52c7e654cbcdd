"""``isvmde datasets``: the data sets that are built in."""

import click

from isvmde.cli import options
from isvmde.cli.output import print_json, print_table
from isvmde.datasets import list_datasets


@click.command(epilog=options.examples("isvmde datasets", "isvmde datasets --json"))
@options.as_json
def datasets(as_json: bool) -> None:
    """List the data sets that are built in: size, classes, imbalance, source."""
    table = list_datasets().reset_index()
    if as_json:
        print_json(table)
        return
    shown = table.drop(columns=["attributes", "in_paper"])
    shown["imbalance_ratio"] = shown["imbalance_ratio"].map("{:.2f}".format)
    print_table(
        shown.rename(columns=lambda name: name.replace("_", " ")),
        title=f"{len(shown)} data sets, all built in",
    )
