-- What processes that listen are told of, when the transaction commits: they look at it at once, and less often where
-- nothing is told (docs/decisions/0076-told-not-asked.md). Only what changes seldom tells by itself: transactions that
-- tell commit one after another.

create function tell() returns trigger language plpgsql as $$
begin
  -- The same notice once in a transaction, however many rows it changes.
  perform pg_notify('muster', tg_argv[0]);
  return null;
end $$;

create trigger tell_of_registry after update of registry_revision on installation
  for each row execute function tell('registry');
create trigger tell_of_clients after update of clients_revision on installation
  for each row execute function tell('clients');
create trigger tell_of_regions after update on regions
  for each row execute function tell('regions');
