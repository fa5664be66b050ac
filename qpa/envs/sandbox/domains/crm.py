"""Customer Management: a small CRM app, its parts put together."""

from __future__ import annotations

from qpa.envs.sandbox.domains import crm_customers, crm_sales, crm_world
from qpa.envs.sandbox.schema import Domain

DOMAIN = Domain(
    crm_customers.NAME,
    crm_customers.SCHEMA + crm_sales.SCHEMA,
    crm_customers.TOOLS + crm_sales.TOOLS,
    crm_world.seed_rows,
)
