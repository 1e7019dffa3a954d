import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { listApiKeysOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedApiKey } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { Chips } from '../../parts/lists/chips.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { Empty, Failed, NoMatch } from '../../parts/standing/states.tsx';
import { RevokeDialog, RotateDialog } from './key-dialogs.tsx';
import { refusedFirst } from './key-words.ts';
import { KeyTable } from './keys-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { keyRoles, keyStates, type KeysSearch } from './search.ts';
import { StillUsedBanner } from './still-used-banner.tsx';

const route = getRouteApi('/keys');
const pageSize = 50;

/** @param like the key that it takes the place of */
type Asked = { kind: 'new'; like?: ListedApiKey } | { kind: 'rotate' | 'revoke'; apiKey: ListedApiKey };

/** More than these that have ended and are still used are found by their chip. */
const mostNamed = 3;

const stateWords = { active: 'Active', expired: 'Expired', revoked: 'Revoked, 30 days' } as const;

/** Whose the keys are, what they may, until when, whether they are used, and who is logged in by them. */
export function KeysView() {
  const { state, refused, role, text, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('operator');
  const [asked, setAsked] = useState<Asked>();
  const query = {
    limit: pageSize,
    ...(state !== undefined && { state }),
    ...(refused === true && { refused: 'true' as const }),
    ...(role !== undefined && { role }),
    ...(text !== undefined && { q: text }),
    ...(cursor !== undefined && { cursor }),
  };
  const isAllowed = refusal === undefined;
  const keys = useQuery({ ...listApiKeysOptions({ query }), placeholderData: keepPreviousData, enabled: isAllowed });
  const stillUsed = useQuery({
    ...listApiKeysOptions({ query: { limit: pageSize, refused: 'true' } }),
    enabled: isAllowed,
  });
  const close = () => setAsked(undefined);
  const isFiltered = state !== undefined || refused !== undefined || role !== undefined || text !== undefined;
  const ahead = isFiltered || cursor !== undefined ? [] : (stillUsed.data?.items ?? []);
  const items = keys.data && refusedFirst(ahead, keys.data.items);
  const named = stillUsed.data?.items.slice(0, mostNamed) ?? [];
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
      {named.map((apiKey) => (
        <StillUsedBanner
          key={apiKey.id}
          apiKey={apiKey}
          onMakeAnew={() => setAsked({ kind: 'new', like: apiKey })}
          onRevoke={() => setAsked({ kind: 'revoke', apiKey })}
        />
      ))}
      {isAllowed && (
        <div className="row flex-wrap">
          <Chips
            label="Filter by state"
            chosen={refused === undefined ? (state ?? 'all') : 'refused'}
            chips={[
              { value: 'all', label: 'All' },
              { value: 'refused', label: 'Ended, still used', count: stillUsed.data?.items.length, warns: true },
              ...keyStates.map((each) => ({ value: each, label: stateWords[each] })),
            ]}
            onChoose={(value) =>
              choose({
                state: keyStates.find((each) => each === value),
                refused: value === 'refused' ? true : undefined,
              })
            }
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
            onClear={() => choose({ state: undefined, refused: undefined, role: undefined, text: undefined })}
          >
            {filterWords({ state, refused, role, text })}
          </NoMatch>
        ) : (
          <KeyTable keys={items} onAsk={setAsked} />
        )}
        {items !== undefined && items.length > 0 && (
          <Paging cursor={cursor} next={keys.data?.next} onGo={(to) => go({ cursor: to })}>
            {countOf(items.length, 'key')}, {ahead.length > 0 ? 'those still used first, then ' : ''}newest first · a
            revoked one is refused within two seconds and stays listed for thirty days
          </Paging>
        )}
      </section>
      {asked?.kind === 'new' && <NewKeyDialog like={asked.like} onClose={close} />}
      {asked?.kind === 'rotate' && <RotateDialog apiKey={asked.apiKey} onClose={close} />}
      {asked?.kind === 'revoke' && <RevokeDialog apiKey={asked.apiKey} onClose={close} />}
    </Page>
  );
}

/** `Expired, role viewer, with “orders” in its name or owner.` */
function filterWords({ state, refused, role, text }: Omit<KeysSearch, 'cursor'>): string {
  const words = [
    state ?? '',
    refused === undefined ? '' : 'refused in the last seven days',
    role === undefined ? '' : `role ${role}`,
    text === undefined ? '' : `with “${text}” in its name or owner`,
  ].filter((each) => each !== '');
  const joined = words.join(', ');
  return `${joined.charAt(0).toUpperCase()}${joined.slice(1)}.`;
}
