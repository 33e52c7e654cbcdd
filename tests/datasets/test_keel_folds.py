"""KEEL's partitions, from a table and from KEEL's own fold files."""

import numpy as np
import pandas as pd
import pytest

from isvmde.datasets import KeelKFold, load_dataset

COLUMNS = {"keel5", "keel10", "keel5imb"}


def write_fold_files(bunch, part, folder, *, prefix, spell=str, shuffle=0):
    """Write test parts as KEEL does: every part its own file, in its own order."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.RandomState(shuffle)
    header = ["@relation x"]
    for name in bunch.data:
        if name in bunch.numeric:
            header.append(f"@attribute {name} real")
        else:
            values = map(spell, bunch.data[name].cat.categories)
            header.append(f"@attribute {name} {{{', '.join(values)}}}")
    header.append(f"@attribute class {{{', '.join(np.unique(bunch.target))}}}")
    for k in range(1, part.max() + 1):
        rows = [
            ", ".join([*map(spell, bunch.data.iloc[i]), bunch.target[i]])
            for i in rng.permutation(np.flatnonzero(part == k))
        ]
        text = "\n".join([*header, "@data", *rows])
        (folder / f"{prefix}-{k}tst.dat").write_text(text)


def test_every_published_partition_fits_its_data_set(originals):
    tables = sorted((originals / "folds").glob("*.csv"))
    if not tables:
        pytest.skip(f"no folds in {originals}")
    for path in tables:
        name = path.stem
        bunch = load_dataset(name, data_home=originals)
        table = pd.read_csv(path)
        assert set(table) <= COLUMNS
        for partition in table:
            cv = KeelKFold(name, partition=partition, data_home=originals)
            splits = list(cv.split(bunch.data, bunch.target))
            assert len(splits) == cv.get_n_splits() == table[partition].max()
            for k, (train, test) in enumerate(splits, start=1):
                assert np.array_equal(test, np.flatnonzero(table[partition] == k))
                assert np.array_equal(
                    np.sort(np.r_[train, test]), np.arange(len(bunch.data))
                )


@pytest.mark.parametrize("place", [".", "zoo-5-fold", "folds/keel5"])
def test_fold_files(home, place):
    zoo = load_dataset("zoo")
    part = np.arange(len(zoo.target)) % 5 + 1
    # KEEL spells codes as 1.0 in some files.
    write_fold_files(
        zoo, part, home / place, prefix="zoo-5", spell=lambda v: f"{float(v)}"
    )
    tests = [test for _, test in KeelKFold("zoo", data_home=home).split(zoo.data)]
    # Equal rows are interchangeable; the parts hold the same rows all the same.
    for k, test in enumerate(tests, start=1):
        assert rows_of(zoo, test) == rows_of(zoo, np.flatnonzero(part == k))
    assert np.array_equal(np.sort(np.concatenate(tests)), np.arange(101))


def rows_of(bunch, index):
    return sorted(
        (*row, label)
        for row, label in zip(
            bunch.data.iloc[index].astype(str).itertuples(index=False),
            bunch.target[index],
            strict=True,
        )
    )


@pytest.mark.parametrize("name", ["shuttle", "thyroid"])
def test_a_data_set_is_loaded_from_fold_files(home, originals, name, contents):
    bunch = load_dataset(name, data_home=originals)
    part = np.random.RandomState(0).randint(1, 6, len(bunch.target))
    write_fold_files(bunch, part, home, prefix=f"{name}-5", shuffle=1)
    loaded = load_dataset(name, data_home=home)
    assert rows_of(loaded, slice(None)) == rows_of(bunch, slice(None))
    assert loaded.nominal == bunch.nominal
    cv = KeelKFold(name, partition="keel5imb", data_home=home)
    assert cv.get_n_splits() == 5
    for k, (_, test) in enumerate(cv.split(loaded.data), start=1):
        assert rows_of(loaded, test) == rows_of(bunch, np.flatnonzero(part == k))
    # One row less, or one value other, is another data set.
    file = home / f"{name}-5-3tst.dat"
    text = file.read_text()
    before = contents(home)
    for bad in (text.rsplit("\n", 1)[0], text[: text.rindex("0.")] + "9"):
        file.write_text(bad)
        with pytest.raises(
            ValueError, match=r"do not hold the data set|tst\.dat, line"
        ):
            load_dataset(name, data_home=home)
    file.write_text(text)
    (home / f"{name}-5-2tst.dat").unlink()
    with pytest.raises(ValueError, match=f"but not {name}-5-2tst.dat"):
        load_dataset(name, data_home=home)
    assert contents(home).keys() == before.keys() - {f"{name}-5-2tst.dat"}


def test_mangled_fold_files_are_refused(home):
    ecoli = load_dataset("ecoli")
    part = np.arange(336) % 5 + 1
    ecoli.data["mcg"] *= 100  # as in KEEL's own files
    write_fold_files(ecoli, part, home, prefix="ecoli-5")
    with pytest.raises(ValueError, match="values the fold files do not have"):
        KeelKFold("ecoli", data_home=home).get_n_splits()


def test_what_is_not_there(home, originals):
    with pytest.raises(ValueError, match="no data set 'iris'"):
        KeelKFold("iris")
    with pytest.raises(ValueError, match="no partition 'five'; choose keel5"):
        KeelKFold("zoo", partition="five", data_home=home).get_n_splits()
    with pytest.raises(ValueError, match="no partition of 'hcv'"):
        KeelKFold("hcv", data_home=home).get_n_splits()
    with pytest.raises(FileNotFoundError, match=r"zoo-10-1tst.dat .* https://sci2s"):
        KeelKFold("zoo", partition="keel10", data_home=home).get_n_splits()
    if (originals / "folds").is_dir():
        with pytest.raises(FileNotFoundError, match="it has keel5imb"):
            KeelKFold("shuttle", data_home=originals).get_n_splits()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (range(100), "has 100 rows, the data set has 101"),
        ([0, 1] * 50 + [1], "does not number parts from 1"),
        ([1.5, 2] * 50 + [1], "does not number parts from 1"),
        (["a", "b"] * 50 + ["a"], "does not number parts from 1"),
        ([1] * 101, "does not number parts from 1"),
        ([1, 3] * 50 + [1], "has empty parts"),
    ],
)
def test_bad_tables(home, values, message):
    (home / "folds").mkdir()
    pd.DataFrame({"keel5": list(values)}).to_csv(home / "folds/zoo.csv", index=False)
    with pytest.raises(ValueError, match=message):
        KeelKFold("zoo", data_home=home).get_n_splits()


def test_x_must_have_the_data_sets_rows(home):
    (home / "folds").mkdir()
    table = pd.DataFrame({"keel5": np.arange(101) % 5 + 1})
    table.to_csv(home / "folds/zoo.csv", index=False)
    cv = KeelKFold("zoo", data_home=home)
    assert cv.get_n_splits() == 5
    with pytest.raises(ValueError, match="its 101 rows, but X has 100"):
        next(cv.split(np.zeros((100, 2))))
    assert len(next(cv.split([[0]] * 101))[1]) == 21
