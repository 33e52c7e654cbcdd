"""``isvmde fit``, ``predict`` and ``inspect``: one model, from a table to its use."""

from __future__ import annotations

import math
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import click
import pandas as pd
from sklearn.pipeline import make_pipeline

from isvmde.bench.interrupts import noting_interrupts
from isvmde.cli.inputs import (
    check_output_file,
    describe_data,
    examples,
    jobs_option,
    json_option,
    looks_like_file,
    nominal_option,
    read_data,
    seed_option,
)
from isvmde.cli.output import join, print_json, print_table, records, say
from isvmde.datasets import load_dataset, make_preprocessor, read_table
from isvmde.datasets.columns import shortest
from isvmde.model_file import SavedModel, load_model, save_model


@click.command(
    epilog=examples(
        "isvmde fit patients.csv --target diagnosis -o patients.skops",
        "isvmde fit glass -o glass.skops --search pairwise --pop 20 --iter 50",
        "isvmde fit big.csv -o big.skops --checkpoint big.search --time-limit 600",
    )
)
@click.argument("data")
@click.option("--target", metavar="COL", help="Column of the classes [default: last].")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True)
@nominal_option
@click.option(
    "--fitness",
    type=click.Choice(["ave", "max"]),
    default="ave",
    show_default=True,
    help="What the search minimises.",
)
@click.option(
    "--search",
    type=click.Choice(["joint", "pairwise"]),
    default="joint",
    show_default=True,
    help="All pairs of classes at once, as in the paper, or one by one (faster).",
)
@click.option(
    "--pop", type=click.IntRange(5), default=40, show_default=True, help="Individuals."
)
@click.option(
    "--iter",
    "iterations",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Generations.",
)
@seed_option
@jobs_option
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="End the search then, with the best found.",
    callback=lambda _ctx, _param, value: _no_nan(value),
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the search here; the same command goes on from it.",
)
@json_option
def fit(
    data: str,
    target: str | None,
    output: Path,
    nominal: str | None,
    fitness: str,
    search: str,
    pop: int,
    iterations: int,
    seed: int,
    jobs: int,
    time_limit: float | None,
    checkpoint: Path | None,
    as_json: bool,
) -> int:
    """Train i-SVM-DE on DATA and save the model.

    DATA is a csv, tsv, parquet, ARFF or KEEL file, or the name of a data set. Numeric
    columns are scaled to [0, 1], text columns coded one-hot; rows with missing values
    are left out. Ctrl-C ends the search early and saves the best model found.
    """
    check_output_file(output)
    if checkpoint is not None:
        check_output_file(checkpoint, "--checkpoint")
    bunch = read_data(data, target, nominal)
    from isvmde import ISVMDEClassifier

    classifier = ISVMDEClassifier(
        fitness=fitness,
        search=search,
        pop_size=pop,
        max_iter=iterations,
        random_state=seed,
        n_jobs=jobs,
        time_limit=time_limit,
        keep_best_on_interrupt=True,
        checkpoint=None if checkpoint is None else str(checkpoint),
        verbose=int(sys.stderr.isatty() and not as_json),
    )
    pipeline = make_pipeline(make_preprocessor(bunch), classifier)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught, noting_interrupts() as noted:
        warnings.simplefilter("always")
        pipeline.fit(bunch.data, bunch.target)
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        say(text)
    summary = {
        **describe_data(bunch),
        "fitness": classifier.fitness_,
        "generations": int(classifier.n_iter_),
        "seconds": round(time.perf_counter() - started, 3),
        "support_vectors": int(sum(classifier.n_support_)),
    }
    saved = SavedModel(
        pipeline,
        target=str(bunch.target_name),
        numeric=list(bunch.numeric),
        nominal=list(bunch.nominal),
        notes=summary,
    )
    save_model(saved, output)
    if as_json:
        print_json({**summary, "model": str(output), "interrupted": noted.seen})
    else:
        _print_summary(summary, output)
    return 130 if noted.seen else 0


def _no_nan(seconds: float | None) -> float | None:
    """Refuse nan, which is in every range."""
    if seconds is not None and math.isnan(seconds):
        raise click.BadParameter("nan is no number of seconds")
    return seconds


def _print_summary(summary: dict[str, Any], output: Path) -> None:
    """Print what a fit came to."""
    classes = join(f"{name} ({n})" for name, n in summary["classes"].items())
    print_table(
        pd.DataFrame(
            [
                ("rows", summary["rows"]),
                ("columns", f"{summary['numeric']} + {summary['nominal']} nominal"),
                ("classes", classes),
                ("fitness", f"{summary['fitness']:.6g}"),
                ("generations", summary["generations"]),
                ("support vectors", summary["support_vectors"]),
                ("seconds", f"{summary['seconds']:.1f}"),
                ("model", output),
            ],
            columns=["what", "value"],
        )
    )


@click.command(
    epilog=examples(
        "isvmde predict patients.skops new.csv -o out.csv",
        "isvmde predict patients.skops new.csv --proba | head",
    )
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="CSV file to write [default: print].",
)
@click.option("--proba", is_flag=True, help="Add a column of probability per class.")
def predict(model: Path, data: str, output: Path | None, proba: bool) -> None:
    """Predict the class of every row of DATA with a saved MODEL.

    Columns are found by name; further ones are ignored. A row with missing values gets
    an empty prediction. When DATA has the target's column, the scores are told too.
    """
    if output is not None:
        check_output_file(output)
    saved = load_model(model)
    table = _read_rows(data)
    aligned = saved.align(table)
    for name, values in saved.unseen(aligned).items():
        say(
            f"column {name!r} has values the model never saw, taken as none of those "
            f"it knows: {join(values[:5])}"
        )
    complete = aligned.notna().all(axis=1)
    if not complete.all():
        say(
            f"{(~complete).sum()} of {len(complete)} rows have missing values and get "
            "an empty prediction"
        )
    result = _predict_complete(saved, aligned, complete, proba)
    if saved.target in table:
        _tell_scores(saved.target, table.loc[complete, saved.target], result[complete])
    if output is None:
        click.echo(result.to_csv(index=False), nl=False)
    else:
        result.to_csv(output, index=False)
        say(f"{complete.sum()} predictions written to {output}")


def _read_rows(data: str) -> pd.DataFrame:
    """Return all columns of a file, or of the data set of that name."""
    if looks_like_file(data):
        return read_table(data, target=False).data
    bunch = load_dataset(data)
    return bunch.data.assign(**{str(bunch.target_name): bunch.target})


def _predict_complete(
    saved: SavedModel, aligned: pd.DataFrame, complete: pd.Series, proba: bool
) -> pd.DataFrame:
    """Return predictions for all rows, empty where values are missing."""
    rows = aligned[complete]
    result = pd.DataFrame(index=aligned.index)
    some = len(rows) > 0
    predicted = saved.pipeline.predict(rows) if some else []
    result["prediction"] = pd.Series(predicted, index=rows.index, dtype=object)
    if proba:
        classes = saved.pipeline.classes_
        values = saved.pipeline.predict_proba(rows) if some else []
        columns = [f"proba_{label}" for label in classes]
        result[columns] = pd.DataFrame(values, index=rows.index, columns=columns)
    return result


def _tell_scores(target: str, true: pd.Series, result: pd.DataFrame) -> None:
    """Score predictions where the truth is in the table."""
    from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score

    known = true.notna()
    if not known.any():
        return
    y_true = [shortest(label) for label in true[known]]
    y_pred = [shortest(label) for label in result.loc[known[known].index, "prediction"]]
    say(
        f"against column {target!r}: G-mean {g_mean_score(y_true, y_pred):.4f}, "
        f"AvF {av_f_beta_score(y_true, y_pred):.4f}, "
        f"CBA {cba_score(y_true, y_pred):.4f}"
    )


@click.command(
    epilog=examples(
        "isvmde inspect patients.skops",
        "isvmde inspect patients.skops --json",
    )
)
@click.argument("model", type=click.Path(path_type=Path))
@json_option
def inspect(model: Path, as_json: bool) -> None:
    """Show what a saved MODEL chose for each pair of classes.

    + is the smaller class of a pair; costs are multiples of C, margins are lambda1 and
    lambda2 of the paper.
    """
    saved = load_model(model)
    classifier = saved.pipeline[-1]
    if not hasattr(classifier, "pair_params_"):
        raise ValueError(
            f"{model} holds a {type(classifier).__name__}, which has no parameters for "
            "each pair of classes to show"
        )
    pairs = pd.DataFrame(
        [
            {"plus": plus, "minus": minus, **parameters, "support vectors": n_support}
            for ((plus, minus), parameters), n_support in zip(
                classifier.pair_params_.items(), classifier.n_support_, strict=True
            )
        ]
    )
    if as_json:
        print_json(
            {
                "isvmde": saved.version,
                "target": saved.target,
                "numeric": saved.numeric,
                "nominal": saved.nominal,
                **saved.notes,
                "pairs": records(pairs),
            }
        )
        return
    say(f"saved by isvmde {saved.version}; predicts {saved.target!r}")
    for kind in ("numeric", "nominal"):
        names = getattr(saved, kind)
        if names:
            say(f"{kind} columns: {join(names)}")
    print_table(pairs.map(_rounded).rename(columns=lambda c: str(c).replace("_", " ")))


def _rounded(value: Any) -> Any:
    """Return numbers with the digits a person reads."""
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.4g}"
    return "" if value is None else value
