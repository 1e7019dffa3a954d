-- after: nothing
-- Quiet hours: hours in which an action type calls no users of a country (docs/decisions/0085-gates-before-a-call.md).

-- The newest row is in force; without a row, there are no quiet hours.
create table quiet_hours (
  revision int primary key,
  -- Rules, as in quietRules of shared/contracts/endpoints/quiet-hours.ts.
  rules jsonb not null,
  created_by uuid,
  created_at timestamptz not null default now()
);
