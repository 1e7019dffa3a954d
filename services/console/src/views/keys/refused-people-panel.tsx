import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listRefusedPeopleOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RefusedPerson } from '#client/types.gen.ts';
import { useSession } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { formatTimes } from './key-words.ts';
import { LetInDialog } from './person-dialogs.tsx';

const maxListed = 100;

/**
 * People whom the issuer knows but who could not log in, with the reason: the token grants no role here, or the person
 * is blocked. Hidden if there are none, and for keys with a scope.
 */
export function RefusedPeoplePanel() {
  const { role, scope } = useSession();
  const isAllowed =
    role === 'operator' && [scope.clients, scope.countries, scope.actionTypes].every((part) => part === null);
  const { data } = useQuery({ ...listRefusedPeopleOptions({ query: { limit: maxListed } }), enabled: isAllowed });
  const [personToLetIn, setPersonToLetIn] = useState<RefusedPerson>();
  if (data === undefined || data.items.length === 0) return null;
  const columns: readonly Column<RefusedPerson>[] = [
    { header: 'Person', look: 'wrap-anywhere', cell: (person) => <Person person={person} /> },
    { header: 'Reason', hideBelow: 'phone', look: 't2 wrap-anywhere', cell: ({ detail }) => detail },
    { header: 'Last', cell: (person) => <LastRefusal person={person} /> },
    actionsColumn(
      (person) =>
        person.mayBeLetIn &&
        !person.isInAgain && (
          <Button small label={`Let ${nameOf(person)} in again`} onClick={() => setPersonToLetIn(person)}>
            Let in…
          </Button>
        ),
    ),
  ];
  return (
    <Panel
      title="Refused at log-in"
      note="in the last 30 days, most recent first"
      footer="Only people with a valid token are listed. Forged and expired tokens are only counted by a metric."
    >
      <DataTable
        caption="People who were refused, most recent first"
        className="table-auto [&_td]:py-1.5"
        columns={columns}
        rows={data.items}
        keyOf={({ issuer, subject }) => `${issuer} ${subject}`}
      />
      {personToLetIn?.keyId && (
        <LetInDialog
          id={personToLetIn.keyId}
          name={nameOf(personToLetIn)}
          onClose={() => setPersonToLetIn(undefined)}
        />
      )}
    </Panel>
  );
}

const reasonLabels = { 'no-role': 'no role', 'shut-out': 'shut out' } as const satisfies Record<
  RefusedPerson['code'],
  string
>;

function nameOf({ name, subject }: RefusedPerson): string {
  return name ?? subject;
}

function Person({ person }: { person: RefusedPerson }) {
  const { subject, issuer, code, isInAgain } = person;
  return (
    <>
      <div className="font-medium phone:min-w-32">{nameOf(person)}</div>
      <div className="t2 sm">
        <span className={isInAgain ? 't3' : 'c-warn'}>{isInAgain ? 'let in since' : reasonLabels[code]}</span> ·{' '}
        <span title={`${subject} at ${issuer}`}>{new URL(issuer).host}</span>
      </div>
    </>
  );
}

function LastRefusal({ person: { count, firstAt, lastAt, lastFrom } }: { person: RefusedPerson }) {
  return (
    <>
      <Time instant={lastAt} />
      <div className="t2 sm">
        {formatTimes(count)}
        {count > 1 && (
          <>
            {' '}
            since <Time instant={firstAt} />
          </>
        )}
        {lastFrom !== null && <span className="mono"> {lastFrom}</span>}
      </div>
    </>
  );
}
