import type { ListedApiKey } from '#client/types.gen.ts';
import { roleWords } from '../../frame/session/session.ts';
import { useNow } from '../../parts/browser/now.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { boundsInWords, isStillUsed, scopeInWords, standingOf, timesOf } from './key-words.ts';

export interface AskedOfKey {
  kind: 'calls' | 'change' | 'rotate' | 'revoke' | 'shut-out' | 'let-in';
  apiKey: ListedApiKey;
}

interface KeyTableProps {
  keys: readonly ListedApiKey[] | undefined;
  onAsk: (asked: AskedOfKey) => void;
}

/** @param keys undefined while they are asked for */
export function KeyTable({ keys, onAsk }: KeyTableProps) {
  return (
    <table className="table-auto actions-below">
      <caption className="sr-only">Keys, those first that have ended and are still used, then newest first</caption>
      <thead>
        <tr>
          <th scope="col">Key or person</th>
          <th scope="col" className="wide">
            Owner
          </th>
          <th scope="col" className="wide">
            Role and scope
          </th>
          <th scope="col">Expires</th>
          <th scope="col" className="wide">
            Last used
          </th>
          <th scope="col">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys?.map((apiKey) => <KeyRow key={apiKey.id} {...{ apiKey, onAsk }} />) ?? (
          <SkeletonRows rows={8} columns={[160, 90, 200, 110, 110, 120]} />
        )}
      </tbody>
    </table>
  );
}

const toneClasses = { ok: 'c-ok', warn: 'c-warn', bad: 'c-bad', quiet: 't3' } as const;

interface KeyRowProps extends Pick<KeyTableProps, 'onAsk'> {
  apiKey: ListedApiKey;
}

function KeyRow({ apiKey, onAsk }: KeyRowProps) {
  const { id, name, owner, role, scope, state, expiresAt, formerUntil, lastUsedAt, person, revokedAt } = apiKey;
  const now = useNow();
  const standing = standingOf(apiKey, now);
  const bounded = boundsInWords(apiKey.bounds);
  return (
    <tr className="[&>td]:py-1.5">
      <td className="wrap-anywhere">
        <div className="row gap-1.75 font-medium">
          <span className={`flex ${toneClasses[standing.tone]}`}>
            <Icon name={standing.icon} size={14} />
          </span>
          {name}
        </div>
        <div className="t2 sm pl-5.25">
          <span className={toneClasses[standing.tone]}>{standing.words}</span> ·{' '}
          <span className="mono" title={id}>
            {person === null ? `mk_…${id.slice(-4)}` : `signs in at ${new URL(person.issuer).host}`}
          </span>
        </div>
      </td>
      <td className="wide t2">{owner ?? '–'}</td>
      <td className="wide">
        <div>{roleWords[role]}</div>
        <div className="t2 sm">{scopeInWords(scope)}</div>
        {bounded !== null && <div className="t2 sm">{bounded}</div>}
      </td>
      <td>
        {revokedAt !== null ? (
          <>
            revoked <Time instant={revokedAt} />
          </>
        ) : expiresAt === null ? (
          person === null ? (
            'never'
          ) : (
            'with the session'
          )
        ) : (
          <Time instant={expiresAt} {...(state === 'expired' && { className: 'c-bad' })} />
        )}
        {formerUntil !== null && (
          <div className="t2 sm">
            old one until <Time instant={formerUntil} />
          </div>
        )}
      </td>
      <td className="wide t2">
        {isStillUsed(apiKey, now) ? (
          <>
            <Refused refusals={apiKey.refusals} />
            <div className="sm">
              {lastUsedAt === null ? 'never worked' : 'worked '}
              {lastUsedAt !== null && <Time instant={lastUsedAt} />}
            </div>
          </>
        ) : lastUsedAt === null ? (
          'never'
        ) : (
          <Time instant={lastUsedAt} />
        )}
        {apiKey.sessions > 0 && <div className="sm">logged in in {countOf(apiKey.sessions, 'browser')}</div>}
      </td>
      <td className="text-right">
        <KeyActions {...{ apiKey, onAsk }} />
      </td>
    </tr>
  );
}

function KeyActions({ apiKey, onAsk }: KeyRowProps) {
  const { name, state, person } = apiKey;
  const ask = (kind: AskedOfKey['kind']) => () => onAsk({ kind, apiKey });
  return (
    <span className="row justify-end flex-wrap">
      <Button small label={`Calls of ${name}`} onClick={ask('calls')}>
        Calls
      </Button>
      {state !== 'revoked' && person === null && (
        <>
          <Button small label={`Change ${name}`} onClick={ask('change')}>
            Change…
          </Button>
          <Button small label={`Rotate ${name}`} onClick={ask('rotate')}>
            Rotate…
          </Button>
        </>
      )}
      {state === 'active' && person !== null && (
        <Button small label={`Shut ${name} out`} onClick={ask('shut-out')}>
          Shut out…
        </Button>
      )}
      {state === 'expired' && person !== null && (
        <Button small label={`Let ${name} in again`} onClick={ask('let-in')}>
          Let in…
        </Button>
      )}
      {state !== 'revoked' && (
        <Button small kind="bad" label={`Revoke ${name}`} onClick={ask('revoke')}>
          Revoke…
        </Button>
      )}
    </span>
  );
}

/** Something goes on using it, and is told no. */
function Refused({ refusals }: Pick<ListedApiKey, 'refusals'>) {
  if (refusals === null) return null;
  return (
    <div className="c-bad">
      refused {timesOf(refusals.count)}, last <Time instant={refusals.lastAt} />
      {refusals.lastFrom !== null && <span className="mono"> {refusals.lastFrom}</span>}
    </div>
  );
}
