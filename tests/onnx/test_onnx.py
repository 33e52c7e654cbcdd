"""A model in ONNX decides as it does in Python."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.datasets import list_datasets, load_dataset, make_preprocessor
from isvmde.onnx import to_onnx

pytest.importorskip("skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def run(graph, **inputs):
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, inputs)


def mixed(X):
    """Return rows between the training rows and beyond them."""
    rng = np.random.default_rng(0)
    return X[rng.permutation(len(X))] * rng.uniform(-0.2, 1.2, (len(X), 1))


@pytest.mark.parametrize("name", list_datasets().index)
def test_labels_are_equal_on_every_built_in_data_set(name):
    bunch = load_dataset(name)
    X = make_preprocessor(bunch).fit_transform(bunch.data)
    model = ISVMDEClassifier(
        search="pairwise", pop_size=5, max_iter=1, sigma_range=(0.05, 3), random_state=0
    ).fit(X, bunch.target)
    for rows in (X, mixed(X)):
        label, decisions = run(to_onnx(model), X=rows)
        np.testing.assert_array_equal(label, model.predict(rows))
        np.testing.assert_allclose(
            decisions, model.decision_function(rows), rtol=0, atol=1e-6
        )


@pytest.mark.parametrize("name", ["glass", "ecoli", "zoo"])
@pytest.mark.parametrize("some", [False, True], ids=["all pairs", "some pairs"])
def test_kernels_on_ranks(name, some):
    bunch = load_dataset(name)
    X = make_preprocessor(bunch).fit_transform(bunch.data)
    model = ISVMClassifier(ranks=True, sigma=0.5).fit(X, bunch.target)
    if some:
        plain = {tuple(pair): {"ranks": False} for pair in model.pairs_.tolist()[::2]}
        model.set_params(pair_params=plain).fit(X, bunch.target)
    for rows in (X, mixed(X)):
        label, decisions = run(to_onnx(model), X=rows)
        np.testing.assert_array_equal(label, model.predict(rows))
        np.testing.assert_allclose(
            decisions, model.decision_function(rows), rtol=0, atol=1e-6
        )


@pytest.mark.parametrize("name", ["glass", "ecoli", "zoo"])
@pytest.mark.parametrize("decomposition", ["one-vs-rest", "dag"])
def test_other_decompositions(name, decomposition):
    bunch = load_dataset(name)
    X = make_preprocessor(bunch).fit_transform(bunch.data)
    model = ISVMClassifier(decomposition=decomposition, sigma=0.5, C=10.0)
    model.fit(X, bunch.target)
    for rows in (X, mixed(X)):
        label, decisions = run(to_onnx(model), X=rows)
        np.testing.assert_array_equal(label, model.predict(rows))
        np.testing.assert_allclose(
            decisions, model.decision_function(rows), rtol=0, atol=1e-6
        )


@pytest.mark.parametrize("decomposition", ["one-vs-rest", "dag"])
def test_decisions_of_zero_go_to_plus_in_other_decompositions(decomposition):
    """Identical points: every machine says 0 of them, if its sides weigh the same."""
    X, y = np.zeros((12, 2)), np.repeat([0, 1, 2, 3], 3)
    model = ISVMClassifier(decomposition=decomposition).fit(X, y)
    label, decisions = run(to_onnx(model), X=X[:1])
    np.testing.assert_array_equal(label, model.predict(X[:1]))
    np.testing.assert_allclose(decisions, model.decision_function(X[:1]))


@pytest.mark.parametrize("n_values", [1, 2, 3, 4, 5, 9, 33])
def test_ranks_of_any_number_of_values(n_values):
    """Knots, between them and beyond, in features of different numbers of values."""
    rng = np.random.default_rng(n_values)
    y = np.repeat([0, 1], [25, 15])
    X = np.column_stack(
        [rng.integers(0, n, 40) ** 3 - 20.0 + 0.1 * n for n in (1, n_values, 40)]
    )
    X[:, 2] += y
    model = ISVMClassifier(kernel="linear", ranks=True, C=10.0).fit(X, y)
    rows = np.concatenate([X, X + 0.3, X - 0.3, 50 * X, -50 * X])
    label, score = run(to_onnx(model), X=rows)
    np.testing.assert_array_equal(label, model.predict(rows))
    np.testing.assert_allclose(score, model.decision_function(rows), rtol=0, atol=1e-10)


def test_all_features_constant():
    """Nothing to look up: all ranks are zero."""
    X, y = np.ones((5, 2)), np.array([0, 0, 0, 1, 1])
    model = ISVMClassifier(ranks=True).fit(X, y)
    label, _ = run(to_onnx(model), X=X + np.array([[0.5, -0.5]]))
    np.testing.assert_array_equal(label, model.predict(X))


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) + np.repeat(np.eye(3) * 2, [35, 15, 10], axis=0)
    return X, np.repeat([0, 1, 2], [35, 15, 10])


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "min"])
@pytest.mark.parametrize("swap", [False, True])
def test_two_classes_and_each_kernel(blobs, kernel, swap):
    X, y = blobs
    two = y < 2
    X, y = X[two], (1 - y[two] if swap else y[two])  # which class is + changes
    model = ISVMClassifier(kernel=kernel, margin_neg=0.4).fit(X, y)
    label, score = run(to_onnx(model), X=X)
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_allclose(score, model.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize(
    "names",
    [
        np.array(["a", "b", "ç"]),
        np.array(["a", "b", "c"], dtype=object),
        np.array([3, 5, 9]),
        np.array([0.0, 1.0, 2.0]),
    ],
    ids=["text", "objects", "integers", "floats"],
)
def test_labels_keep_their_type(blobs, names):
    X, y = blobs
    model = ISVMClassifier().fit(X, names[y])
    label, _ = run(to_onnx(model), X=X)
    np.testing.assert_array_equal(label, model.predict(X))


def test_a_pair_without_a_machine(blobs):
    X, y = blobs
    nothing = {"margin_pos": 0.0, "margin_neg": 0.0}
    model = ISVMClassifier(pair_params={(0, 1): nothing}).fit(X, y)
    assert 0 in model.n_support_
    label, _ = run(to_onnx(model), X=X)
    np.testing.assert_array_equal(label, model.predict(X))


@pytest.mark.parametrize(
    "model",
    [
        ISVMClassifier(),
        ISVMClassifier(ranks=True),
        ISVMClassifierCV(n_settings=32, random_state=0),
    ],
    ids=["values", "ranks", "averaged"],
)
def test_float64_and_standard_operators_only(blobs, model):
    import onnx

    graph = to_onnx(clone(model).fit(*blobs))
    onnx.checker.check_model(graph, full_check=True)
    assert {node.domain for node in graph.graph.node} == {""}
    assert "Scan" not in {node.op_type for node in graph.graph.node}
    kinds = {constant.data_type for constant in graph.graph.initializer}
    assert onnx.TensorProto.FLOAT not in kinds


def test_a_pipeline_over_a_matrix(blobs):
    X, y = blobs
    pipeline = make_pipeline(MinMaxScaler(), ISVMClassifier(C=10)).fit(X, y)
    label, decisions = run(to_onnx(pipeline), X=X)
    np.testing.assert_array_equal(label, pipeline.predict(X))
    np.testing.assert_allclose(decisions, pipeline.decision_function(X), rtol=1e-9)


def test_a_pipeline_over_a_table_with_text():
    bunch = load_dataset("lymphography")
    table = bunch.data.astype(dict.fromkeys(bunch.nominal, str))
    pipeline = make_pipeline(
        make_column_transformer(
            (MinMaxScaler(), bunch.numeric),
            (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                bunch.nominal,
            ),
        ),
        ISVMClassifier(C=10),
    ).fit(table, bunch.target)
    columns = {
        name: table[[name]].to_numpy(dtype=float if name in bunch.numeric else object)
        for name in table
    }
    label, _ = run(to_onnx(pipeline, table), **columns)
    np.testing.assert_array_equal(label, pipeline.predict(table))


# ISVMClassifierCV: labels and probabilities


def check_probabilities(model, graph, rows, **inputs):
    label, proba = run(graph, **(inputs or {"X": rows}))
    np.testing.assert_array_equal(label, model.predict(rows))
    np.testing.assert_allclose(proba, model.predict_proba(rows), rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["glass", "car", "zoo"])
def test_probabilities_on_data_sets(name):
    """All kernels and views."""
    bunch = load_dataset(name)
    X = make_preprocessor(bunch).fit_transform(bunch.data)
    train = np.arange(len(X)) % 4 == 0 if name == "car" else np.ones(len(X), bool)
    model = ISVMClassifierCV(n_settings=48, random_state=0)
    model.fit(X[train], bunch.target[train])
    graph = to_onnx(model)
    assert [output.name for output in graph.graph.output] == ["label", "probabilities"]
    for rows in (X, mixed(X), X[:1]):
        check_probabilities(model, graph, rows)


@pytest.mark.parametrize("view", ["values", "ranks", "weighted"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "min"])
def test_probabilities_of_each_kernel_and_view(blobs, kernel, view):
    X, y = blobs
    model = ISVMClassifierCV(
        n_settings=6, kernels=kernel, views=view, random_state=0, cost_range=(0.1, 10)
    ).fit(X, y)
    check_probabilities(model, to_onnx(model), np.concatenate([X, 3 * X, -3 * X]))


@pytest.mark.parametrize("n_classes", [2, 12])
@pytest.mark.parametrize("prior", ["balanced", "training"])
def test_probabilities_of_few_and_many_classes(make_blobs, n_classes, prior):
    data = make_blobs(np.arange(n_classes) + 3, seed=n_classes)
    model = ISVMClassifierCV(n_settings=8, prior=prior, random_state=0)
    model.fit(data.X, data.y)
    check_probabilities(model, to_onnx(model), mixed(data.X))


def test_coupling_of_pairs_that_are_sure_and_contradict_each_other(make_blobs):
    """Elimination without pivoting, where the matrix is least well conditioned."""
    data = make_blobs([9, 8, 7, 6, 5, 4, 3], spread=3.0)
    model = ISVMClassifierCV(n_settings=8, random_state=0).fit(data.X, data.y)
    model.margins_ = 1e4 * model.margins_
    rows = np.concatenate([data.X, mixed(data.X)])
    expected = model.predict_proba(rows)
    largest = expected.max(axis=1)
    assert largest.max() > 0.99  # all pairs of a class agree
    assert largest.min() < 0.5  # or they go round in a circle
    _, proba = run(to_onnx(model), X=rows)
    np.testing.assert_allclose(proba, expected, rtol=0, atol=1e-9)


def test_a_pipeline_over_text_gives_probabilities():
    bunch = load_dataset("lymphography")
    table = bunch.data.astype(dict.fromkeys(bunch.nominal, str))
    pipeline = make_pipeline(
        make_column_transformer(
            (MinMaxScaler(), bunch.numeric),
            (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                bunch.nominal,
            ),
        ),
        ISVMClassifierCV(n_settings=12, random_state=0),
    ).fit(table, bunch.target)
    columns = {
        name: table[[name]].to_numpy(dtype=float if name in bunch.numeric else object)
        for name in table
    }
    check_probabilities(pipeline, to_onnx(pipeline, table), table, **columns)
