import type { ListedApiKey } from '#client/types.gen.ts';
import { roleWords } from '../../frame/session/session.ts';
import { useNow } from '../../parts/browser/now.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { describeBounds, isStillUsed, describeScope, findStanding, formatTimes } from './key-words.ts';

export interface ExistingKeyCommand {
  kind: 'calls' | 'change' | 'rotate' | 'revoke' | 'shut-out' | 'let-in';
  apiKey: ListedApiKey;
}

interface KeyTableProps {
  keys: readonly ListedApiKey[] | undefined;
  onCommand: (command: ExistingKeyCommand) => void;
}

export function KeyTable({ keys, onCommand }: KeyTableProps) {
  const columns: readonly Column<ListedApiKey>[] = [
    { header: 'Key or person', look: 'wrap-anywhere', cell: (apiKey) => <Name apiKey={apiKey} /> },
    { header: 'Owner', hideBelow: 'phone', look: 't2', cell: ({ owner }) => owner ?? '–' },
    {
      header: 'Role and scope',
      hideBelow: 'phone',
      cell: ({ role, scope, bounds }) => {
        const bounded = describeBounds(bounds);
        return (
          <>
            <div>{roleWords[role]}</div>
            <div className="t2 sm">{describeScope(scope)}</div>
            {bounded !== null && <div className="t2 sm">{bounded}</div>}
          </>
        );
      },
    },
    { header: 'Expires', cell: (apiKey) => <Expiry apiKey={apiKey} /> },
    { header: 'Last used', hideBelow: 'phone', look: 't2', cell: (apiKey) => <LastUsed apiKey={apiKey} /> },
    actionsColumn((apiKey) => <KeyActions apiKey={apiKey} onCommand={onCommand} />),
  ];
  return (
    <DataTable
      caption="Keys: ended keys that are still used first, then newest first"
      className="table-auto actions-below [&_td]:py-1.5"
      columns={columns}
      rows={keys}
      keyOf={({ id }) => id}
      loadingRows={8}
    />
  );
}

const toneClasses = { ok: 'c-ok', warn: 'c-warn', bad: 'c-bad', quiet: 't3' } as const;

interface KeyProps {
  apiKey: ListedApiKey;
}

function Name({ apiKey }: KeyProps) {
  const { id, name, person } = apiKey;
  const standing = findStanding(apiKey, useNow());
  return (
    <>
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
    </>
  );
}

function Expiry({ apiKey: { state, expiresAt, formerUntil, person, revokedAt } }: KeyProps) {
  return (
    <>
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
          old secret valid until <Time instant={formerUntil} />
        </div>
      )}
    </>
  );
}

function LastUsed({ apiKey }: KeyProps) {
  const { lastUsedAt, refusals, sessions } = apiKey;
  const isRefused = isStillUsed(apiKey, useNow());
  return (
    <>
      {isRefused ? (
        <>
          <Refused refusals={refusals} />
          <div className="sm">
            {lastUsedAt === null ? 'no successful call' : 'last success '}
            {lastUsedAt !== null && <Time instant={lastUsedAt} />}
          </div>
        </>
      ) : lastUsedAt === null ? (
        'never'
      ) : (
        <Time instant={lastUsedAt} />
      )}
      {sessions > 0 && <div className="sm">{countOf(sessions, 'browser session')}</div>}
    </>
  );
}

function KeyActions({ apiKey, onCommand }: KeyProps & Pick<KeyTableProps, 'onCommand'>) {
  const { name, state, person } = apiKey;
  const choose = (kind: ExistingKeyCommand['kind']) => () => onCommand({ kind, apiKey });
  return (
    <>
      <Button small label={`Calls of ${name}`} onClick={choose('calls')}>
        Calls
      </Button>
      {state !== 'revoked' && person === null && (
        <>
          <Button small label={`Change ${name}`} onClick={choose('change')}>
            Change…
          </Button>
          <Button small label={`Rotate ${name}`} onClick={choose('rotate')}>
            Rotate…
          </Button>
        </>
      )}
      {state === 'active' && person !== null && (
        <Button small label={`Shut ${name} out`} onClick={choose('shut-out')}>
          Shut out…
        </Button>
      )}
      {state === 'expired' && person !== null && (
        <Button small label={`Let ${name} in again`} onClick={choose('let-in')}>
          Let in…
        </Button>
      )}
      {state !== 'revoked' && (
        <Button small kind="bad" label={`Revoke ${name}`} onClick={choose('revoke')}>
          Revoke…
        </Button>
      )}
    </>
  );
}

/** Requests that were refused because they used an expired or revoked secret. */
function Refused({ refusals }: Pick<ListedApiKey, 'refusals'>) {
  if (refusals === null) return null;
  return (
    <div className="c-bad">
      refused {formatTimes(refusals.count)}, last <Time instant={refusals.lastAt} />
      {refusals.lastFrom !== null && <span className="mono"> {refusals.lastFrom}</span>}
    </div>
  );
}
