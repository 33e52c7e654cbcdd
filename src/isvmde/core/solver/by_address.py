"""Tables of arrays that compiled functions hand on by their address.

numba hands a named tuple on by value: two dozen arrays are some 170 words in every
call, and the text that LLVM reads names each of them in every function. A tuple of a
class that is declared here lies in memory once, where Python calls, and functions get
its address: half the text, and a sixth less of the processor's time to compile it.

Fields are read when they are asked for. A loop should name the arrays it works on
before it begins, because LLVM cannot know that nobody changes the table meanwhile.
"""

from typing import Any

from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import (
    NativeValue,
    lower_getattr_generic,
    register_model,
    typeof_impl,
    unbox,
)


class TableType(types.NamedTuple):
    """What numba knows of a tuple that is handed on by its address."""


@register_model(TableType)
class _TableModel(PrimitiveModel):
    """How such a tuple looks to functions: an address."""

    def __init__(self, manager: Any, table: TableType) -> None:
        fields = [manager.lookup(field).get_value_type() for field in table.types]
        super().__init__(manager, table, ir.LiteralStructType(fields).as_pointer())


def by_address(cls: Any) -> Any:
    """Declare that compiled functions hand tuples of this class on by their address.

    Python makes such a tuple; compiled code reads its fields and does not change them,
    only what lies in their arrays.
    """

    @typeof_impl.register(cls)
    def type_of_table(table: Any, context: Any) -> TableType:
        return TableType([typeof(field) for field in table], cls)

    return cls


@unbox(TableType)
def _write_fields(table: TableType, given: Any, code: Any) -> NativeValue:
    """Write the fields of a Python tuple where the call from Python keeps its own."""
    builder = code.builder
    address_type = code.context.get_value_type(table)
    address = cgutils.alloca_once(builder, address_type.pointee)
    failed = cgutils.false_bit
    for position, field in enumerate(table.types):
        item = code.pyapi.tuple_getitem(given, position)
        native = code.pyapi.to_native_value(field, item)
        failed = builder.or_(failed, native.is_error)
        place = cgutils.gep_inbounds(builder, address, 0, position)
        builder.store(native.value, place)
    return NativeValue(address, is_error=failed)


@lower_getattr_generic(TableType)
def _read_field(
    context: Any, builder: Any, table: TableType, address: Any, name: str
) -> Any:
    """Read one field at its place behind the address."""
    position = table.fields.index(name)
    return builder.load(cgutils.gep_inbounds(builder, address, 0, position))
