"""What is declared about a simulated world: its tools, tables, result schemas and initial rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from qpa.contract import ContractError, Effect, Record, Skill, TaskSpec, ToolCall, ToolSpec
from qpa.envs.sandbox.loaders import loader_name, loader_spec
from qpa.envs.schemas import SchemaCheck, SchemaError, object_schema

Rows = Mapping[str, Sequence[Mapping[str, Any]]]  # table -> rows

_LOOKS = ("query", "read", "search", "sum", "list", "get")  # what the reading actions of a tool begin with


class TableSpec(Record):
    """A table whose rows the facts are: the model must use exactly these names.

    `key` columns joined by "/" are a row's id; `defaults` fill in what a task's patch leaves out of a new row.
    """

    columns: list[str]
    key: list[str]
    defaults: dict[str, Any] = msgspec.field(default_factory=dict)


@dataclass(frozen=True)
class SimulatedRules:
    """What the answers are held to.

    Attributes:
      tools: the catalogue, declared by schema only.
      tables: with it, facts are rows of these tables and state criteria can be judged; without, kinds are free words.
      results: tool -> JSON Schema of the `data` of its successful answers.
      reveals: reading tools that may tell of things which the log does not know yet (a web or shop search). Every
        other id must come from the task, from `world`, or from a writing call.
      world: further initial rows of a task, beside its patch.
      skills: packages behind the task's skill loaders; loading one needs no model.

    Raises:
      ContractError: a schema that is none, a table without its key, or a name that no tool has.
    """

    tools: Sequence[ToolSpec]
    tables: Mapping[str, TableSpec] = field(default_factory=dict)
    results: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reveals: Collection[str] = ()
    world: Callable[[TaskSpec], Rows] | None = None
    skills: Sequence[Skill] = ()

    def __post_init__(self) -> None:
        specs = {spec.name: spec for spec in self.tools}
        if len(specs) != len(self.tools):
            raise ContractError("simulated: two tools have one name")
        for name in [*self.results, *self.reveals]:
            if name not in specs:
                raise ContractError(f"simulated: results or reveals name {name!r}, which is no tool of the catalogue")
        for name, table in self.tables.items():
            if not table.key or not {*table.key, *table.defaults} <= set(table.columns):
                raise ContractError(f"simulated: table {name!r}: key and defaults must be of its columns")
        loaders = {loader_name(skill.name): skill for skill in self.skills}
        set_ = object.__setattr__
        set_(self, "specs", specs | {name: loader_spec(skill) for name, skill in loaders.items()})
        set_(self, "loaders", loaders)
        set_(self, "argument_checks", {name: _check(name, spec.parameters, True) for name, spec in specs.items()})
        set_(self, "result_checks", {name: _check(name, schema, False) for name, schema in self.results.items()})

    specs: Mapping[str, ToolSpec] = field(init=False, repr=False)
    loaders: Mapping[str, Skill] = field(init=False, repr=False)
    argument_checks: Mapping[str, SchemaCheck] = field(init=False, repr=False)
    result_checks: Mapping[str, SchemaCheck] = field(init=False, repr=False)

    def reads(self, call: ToolCall) -> bool:
        """Whether the call must not change anything: a reading tool, or the reading action of another."""
        action = str(call.arguments.get("action", ""))
        return self.specs[call.name].effect is Effect.READ or action.startswith(_LOOKS)

    def initial_rows(self, task: TaskSpec) -> dict[str, list[dict[str, Any]]]:
        """The world's rows with the task's patch over them, by table."""
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for source in ((self.world(task) if self.world else {}), task.initial.patch):
            for kind, rows in source.items():
                for row in rows:
                    found.setdefault(kind, {}).setdefault(self.row_id(kind, row), {}).update(row)
        defaults = {kind: table.defaults for kind, table in self.tables.items()}
        return {kind: [{**defaults.get(kind, {}), **row} for row in rows.values()] for kind, rows in found.items()}

    def row_id(self, kind: str, row: Mapping[str, Any]) -> str:
        """The id of a row: its declared key, else its `id`, else its first column that ends in `_id`, else its first.

        Raises:
          ContractError: the row lacks a declared key column, or has no column at all.
        """
        if not row:
            raise ContractError(f"simulated: a row of {kind!r} has no column")
        if kind in self.tables:
            key = self.tables[kind].key
            absent = [name for name in key if name not in row]
            if absent:
                raise ContractError(f"simulated: a row of {kind!r} lacks its key column {absent[0]!r}")
            return "/".join(str(row[name]) for name in key)
        names = ["id"] if "id" in row else [name for name in row if name.endswith("_id")] or list(row)
        return str(row[names[0]])


def _check(tool: str, schema: Mapping[str, Any], parameters: bool) -> SchemaCheck:
    try:
        return object_schema(schema) if parameters else SchemaCheck(schema)
    except SchemaError as e:
        what = "parameters" if parameters else "results"
        raise ContractError(f"simulated: tool {tool!r}: {what}: {e}") from None
