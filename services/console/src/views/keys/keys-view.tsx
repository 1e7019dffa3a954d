import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { listApiKeysOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedApiKey } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { roleWords, useRefusal } from '../../frame/session/session.ts';
import { useNow } from '../../parts/browser/now.ts';
import { Button } from '../../parts/controls/button.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { Chips } from '../../parts/lists/chips.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { RevokeDialog, RotateDialog } from './key-dialogs.tsx';
import { scopeInWords, standingOf } from './key-words.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { keyRoles, keyStates, type KeysSearch } from './search.ts';

const route = getRouteApi('/keys');
const pageSize = 50;

type Asked = { kind: 'new' } | { kind: 'rotate' | 'revoke'; apiKey: ListedApiKey };

const stateWords = { active: 'Active', expired: 'Expired', revoked: 'Revoked, 30 days' } as const;

/** Whose the keys are, what they may, until when, whether they are used, and who is logged in by them. */
export function KeysView() {
  const { state, role, text, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('operator');
  const [asked, setAsked] = useState<Asked>();
  const query = {
    limit: pageSize,
    ...(state !== undefined && { state }),
    ...(role !== undefined && { role }),
    ...(text !== undefined && { q: text }),
    ...(cursor !== undefined && { cursor }),
  };
  const isAllowed = refusal === undefined;
  const keys = useQuery({ ...listApiKeysOptions({ query }), placeholderData: keepPreviousData, enabled: isAllowed });
  const items = keys.data?.items;
  const close = () => setAsked(undefined);
  const isFiltered = state !== undefined || role !== undefined || text !== undefined;
  const go = (part: Partial<KeysSearch>) => void navigate({ search: (before) => ({ ...before, ...part }) });
  const choose = (part: Partial<KeysSearch>) => go({ ...part, cursor: undefined });
  return (
    <Page
      title="Keys and people"
      actions={
        <Button kind="ink" icon="plus" refusal={refusal} onClick={() => setAsked({ kind: 'new' })}>
          New key
        </Button>
      }
    >
      {isAllowed && (
        <div className="row flex-wrap">
          <Chips
            label="Filter by state"
            chosen={state ?? 'all'}
            chips={[
              { value: 'all', label: 'All' },
              ...keyStates.map((each) => ({ value: each, label: stateWords[each] })),
            ]}
            onChoose={(value) => choose({ state: value === 'all' ? undefined : value })}
          />
          <span className="ml-auto row phone:w-full phone:flex-wrap">
            <FilterMenu
              name="Role"
              options={keyRoles}
              value={role}
              onChoose={(value) => choose({ role: keyRoles.find((each) => each === value) })}
            />
            <SearchField
              placeholder="Name or owner"
              value={text ?? ''}
              onSearch={(typed) => choose({ text: typed === '' ? undefined : typed })}
            />
          </span>
        </div>
      )}
      <section className="panel" aria-label="Keys">
        {!isAllowed ? (
          <Empty icon="lock" title="Keys are shown to operators">
            {refusal}.
          </Empty>
        ) : items === undefined && keys.error !== null ? (
          <Failed title="The keys could not be read" error={keys.error} onRetry={() => void keys.refetch()} />
        ) : items?.length === 0 && isFiltered ? (
          <NoMatch
            title="No key matches"
            onClear={() => choose({ state: undefined, role: undefined, text: undefined })}
          >
            {filterWords({ state, role, text })}
          </NoMatch>
        ) : (
          <KeyTable keys={items} onAsk={setAsked} />
        )}
        {items !== undefined && items.length > 0 && (
          <Paging cursor={cursor} next={keys.data?.next} onGo={(to) => go({ cursor: to })}>
            {countOf(items.length, 'key')}, newest first · a revoked one is refused within two seconds and stays listed
            for thirty days
          </Paging>
        )}
      </section>
      {asked?.kind === 'new' && <NewKeyDialog onClose={close} />}
      {asked?.kind === 'rotate' && <RotateDialog apiKey={asked.apiKey} onClose={close} />}
      {asked?.kind === 'revoke' && <RevokeDialog apiKey={asked.apiKey} onClose={close} />}
    </Page>
  );
}

/** `Expired, role viewer, with “orders” in its name or owner.` */
function filterWords({ state, role, text }: Pick<KeysSearch, 'state' | 'role' | 'text'>): string {
  const words = [
    state ?? '',
    role === undefined ? '' : `role ${role}`,
    text === undefined ? '' : `with “${text}” in its name or owner`,
  ].filter((each) => each !== '');
  const joined = words.join(', ');
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`;
}

/** @param keys undefined while they are asked for */
function KeyTable({ keys, onAsk }: { keys: readonly ListedApiKey[] | undefined; onAsk: (asked: Asked) => void }) {
  return (
    <table className="table-auto">
      <caption className="sr-only">Keys, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Key</th>
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

function KeyRow({ apiKey, onAsk }: { apiKey: ListedApiKey; onAsk: (asked: Asked) => void }) {
  const { id, name, owner, role, scope, state, expiresAt, formerUntil, lastUsedAt, person } = apiKey;
  const standing = standingOf(apiKey, useNow());
  return (
    <tr>
      <td>
        <div className="font-medium">{name}</div>
        <div className="t2 sm">
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
      </td>
      <td>
        {expiresAt === null ? 'never' : <Time instant={expiresAt} />}
        {formerUntil !== null && (
          <div className="t2 sm">
            old one until <Time instant={formerUntil} />
          </div>
        )}
      </td>
      <td className="wide t2">
        {lastUsedAt === null ? 'never' : <Time instant={lastUsedAt} />}
        {apiKey.sessions > 0 && <div className="sm">logged in in {countOf(apiKey.sessions, 'browser')}</div>}
      </td>
      <td className="text-right whitespace-nowrap">
        {state !== 'revoked' && (
          <span className="row justify-end">
            {person === null && (
              <Button small label={`Rotate ${name}`} onClick={() => onAsk({ kind: 'rotate', apiKey })}>
                Rotate…
              </Button>
            )}
            <Button small kind="bad" label={`Revoke ${name}`} onClick={() => onAsk({ kind: 'revoke', apiKey })}>
              Revoke…
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}
