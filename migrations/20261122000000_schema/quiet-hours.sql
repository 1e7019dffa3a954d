-- after: nothing
-- Hours in which an action type calls nobody of a country (docs/decisions/0085-gates-before-a-call.md).

-- The newest one is in force; none: there are no quiet hours.
create table quiet_hours (
  revision int primary key,
  -- quietRules of shared/contracts/endpoints/quiet-hours.ts.
  rules jsonb not null,
  made_by uuid,
  created_at timestamptz not null default now()
);
