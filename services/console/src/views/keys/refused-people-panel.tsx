import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listRefusedPeopleOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RefusedPerson } from '#client/types.gen.ts';
import { useSession } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { timesOf } from './key-words.ts';
import { LetInDialog } from './person-dialogs.tsx';

const mostShown = 100;

/**
 * Whom the issuer vouches for and who could not come in, with why: the token grants nothing here, or somebody shut them
 * out. Not there while there is nobody, or for whom it is not: a key with a scope.
 */
export function RefusedPeoplePanel() {
  const { role, scope } = useSession();
  const isAllowed =
    role === 'operator' && [scope.clients, scope.countries, scope.actionTypes].every((part) => part === null);
  const { data } = useQuery({ ...listRefusedPeopleOptions({ query: { limit: mostShown } }), enabled: isAllowed });
  const [letIn, setLetIn] = useState<RefusedPerson>();
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Panel
      title="Refused at log-in"
      note="in the last thirty days, the last ones first"
      footer="Whoever the issuer has signed for. Forged and expired tokens name nobody, and are counted by a metric alone."
    >
      <table className="table-auto">
        <caption className="sr-only">People who were refused, the last ones first</caption>
        <thead>
          <tr>
            <th scope="col">Who</th>
            <th scope="col" className="wide">
              Why
            </th>
            <th scope="col">Last</th>
            <th scope="col">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((person) => (
            <PersonRow key={`${person.issuer} ${person.subject}`} person={person} onLetIn={() => setLetIn(person)} />
          ))}
        </tbody>
      </table>
      {letIn?.keyId && (
        <LetInDialog id={letIn.keyId} name={letIn.name ?? letIn.subject} onClose={() => setLetIn(undefined)} />
      )}
    </Panel>
  );
}

const whyWords = { 'no-role': 'no role', 'shut-out': 'shut out' } as const satisfies Record<
  RefusedPerson['code'],
  string
>;

function PersonRow({ person, onLetIn }: { person: RefusedPerson; onLetIn: () => void }) {
  const { name, subject, issuer, code, detail, count, firstAt, lastAt, lastFrom, isInAgain, mayBeLetIn } = person;
  const shown = name ?? subject;
  return (
    <tr className="[&>td]:py-1.5">
      <td className="wrap-anywhere">
        <div className="font-medium phone:min-w-32">{shown}</div>
        <div className="t2 sm">
          <span className={isInAgain ? 't3' : 'c-warn'}>{isInAgain ? 'let in since' : whyWords[code]}</span> ·{' '}
          <span title={`${subject} at ${issuer}`}>{new URL(issuer).host}</span>
        </div>
      </td>
      <td className="wide t2 wrap-anywhere">{detail}</td>
      <td>
        <Time instant={lastAt} />
        <div className="t2 sm">
          {timesOf(count)}
          {count > 1 && (
            <>
              {' '}
              since <Time instant={firstAt} />
            </>
          )}
          {lastFrom !== null && <span className="mono"> {lastFrom}</span>}
        </div>
      </td>
      <td className="text-right whitespace-nowrap">
        {mayBeLetIn && !isInAgain && (
          <Button small label={`Let ${shown} in again`} onClick={onLetIn}>
            Let in…
          </Button>
        )}
      </td>
    </tr>
  );
}
