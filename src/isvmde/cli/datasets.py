"""``isvmde datasets``: what is there, and fetching what is not."""

from __future__ import annotations

import sys

import click

from isvmde.cli.inputs import examples, json_option
from isvmde.cli.output import print_json, print_table, records, say
from isvmde.datasets import download_dataset, list_datasets


@click.command(
    epilog=examples(
        "isvmde datasets",
        "isvmde datasets --download",
    )
)
@click.option("--download", is_flag=True, help="Fetch those that are not here.")
@json_option
def datasets(download: bool, as_json: bool) -> None:
    """List the paper's 15 data sets: size, classes, imbalance, where they are."""
    table = list_datasets()
    if download:
        for name in table.index[~table["available"]]:
            path = download_dataset(name, progress=_show)
            say(f"{name}: {path}")
        table = list_datasets()
    if as_json:
        print_json(records(table.reset_index()))
        return
    shown = table.reset_index()[
        [
            "name",
            "rows",
            "numeric",
            "nominal",
            "classes",
            "smallest_class",
            "imbalance_ratio",
            "status",
        ]
    ]
    shown = shown.assign(imbalance_ratio=shown["imbalance_ratio"].map("{:.2f}".format))
    print_table(shown.rename(columns=lambda name: name.replace("_", " ")))


def _show(name: str, received: int, total: int | None) -> None:
    """Show how far a download is, in a terminal."""
    if sys.stderr.isatty():
        of = f" of {total / 1024:.0f}" if total else ""
        click.echo(f"\r{name}: {received / 1024:.0f}{of} kB", err=True, nl=False)
        if received == total:
            click.echo(err=True)
