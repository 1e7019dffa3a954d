import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { listApiKeysOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedApiKey } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { roleWords, useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { Chips } from '../../parts/lists/chips.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { Paging } from '../../parts/lists/paging.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { CallsDialog } from './calls-dialog.tsx';
import { ChangeKeyDialog } from './change-key-dialog.tsx';
import { chipOf, filterWords, hasFilters, keysQuery, noFilters, standingChips, standingOfChip } from './key-filters.ts';
import { RevokeDialog, RotateDialog } from './key-dialogs.tsx';
import { refusedFirst, roleSaid } from './key-words.ts';
import { KeyTable, type AskedOfKey } from './keys-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { LetInDialog, ShutOutDialog } from './person-dialogs.tsx';
import { RefusedPeoplePanel } from './refused-people-panel.tsx';
import { keyRoles, soonDays, type KeysSearch } from './search.ts';
import { StillUsedBanner } from './still-used-banner.tsx';

const route = getRouteApi('/keys');
const pageSize = 50;

/** @param like the key that it takes the place of */
type Asked = { kind: 'new'; like?: ListedApiKey } | AskedOfKey;

/** More than these that have ended and are still used are found by their chip. */
const mostNamed = 3;

/** Whose the keys are, what they may, until when, whether they are used, and who is logged in by them. */
export function KeysView() {
  const chosen = route.useSearch();
  const { role, text, cursor } = chosen;
  const navigate = route.useNavigate();
  const refusal = useRefusal('operator');
  const [asked, setAsked] = useState<Asked>();
  const query = { limit: pageSize, ...keysQuery(chosen) };
  const isAllowed = refusal === undefined;
  const keys = useQuery({ ...listApiKeysOptions({ query }), placeholderData: keepPreviousData, enabled: isAllowed });
  const stillUsed = useQuery({
    ...listApiKeysOptions({ query: { limit: pageSize, refused: 'true' } }),
    enabled: isAllowed,
  });
  const ending = useQuery({
    ...listApiKeysOptions({ query: { limit: pageSize, endsWithinDays: soonDays } }),
    enabled: isAllowed,
  });
  const counts: Readonly<Record<string, number | undefined>> = {
    refused: stillUsed.data?.items.length,
    soon: ending.data?.items.length,
  };
  const close = () => setAsked(undefined);
  const isFiltered = hasFilters(chosen);
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
          onCalls={() => setAsked({ kind: 'calls', apiKey })}
        />
      ))}
      {isAllowed && (
        <div className="row flex-wrap">
          <Chips
            label="Filter by state"
            chosen={chipOf(chosen)}
            chips={standingChips.map(({ value, label, warns = false }) => ({
              ...{ value, label, warns, count: counts[value] },
            }))}
            onChoose={(value) => choose(standingOfChip(value))}
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
        ) : (
          <ListView
            what="The keys"
            query={keys}
            items={items}
            empty={
              isFiltered ? (
                <NoMatch title="No key matches" onClear={() => go(noFilters)}>
                  {filterWords(chosen)}
                </NoMatch>
              ) : (
                <KeyTable keys={[]} onAsk={setAsked} />
              )
            }
          >
            <KeyTable keys={items} onAsk={setAsked} />
            {items && (
              <Paging cursor={cursor} next={keys.data.next} onGo={(to) => go({ cursor: to })}>
                {countOf(items.length, 'key')}, {ahead.length > 0 ? 'those still used first, then ' : ''}newest first ·
                a revoked one is refused within two seconds and stays listed for thirty days
              </Paging>
            )}
          </ListView>
        )}
      </section>
      {isAllowed && cursor === undefined && <RefusedPeoplePanel />}
      {isAllowed && (
        <p className="row flex-wrap sm t2 gap-x-4.5 gap-y-0.5">
          {keyRoles.map((each) => (
            <span key={each}>
              <b className="text-main">{roleWords[each]}</b> {roleSaid[each]}
            </span>
          ))}
        </p>
      )}
      {asked?.kind === 'new' && <NewKeyDialog like={asked.like} onClose={close} />}
      {asked !== undefined && asked.kind !== 'new' && <KeyDialog asked={asked} onClose={close} />}
    </Page>
  );
}

function KeyDialog({ asked: { kind, apiKey }, onClose }: { asked: AskedOfKey; onClose: () => void }) {
  if (kind === 'change') return <ChangeKeyDialog {...{ apiKey, onClose }} />;
  if (kind === 'rotate') return <RotateDialog {...{ apiKey, onClose }} />;
  if (kind === 'revoke') return <RevokeDialog {...{ apiKey, onClose }} />;
  if (kind === 'calls') return <CallsDialog {...{ apiKey, onClose }} />;
  const { id, name } = apiKey;
  return kind === 'shut-out' ? (
    <ShutOutDialog {...{ id, name, onClose }} />
  ) : (
    <LetInDialog {...{ id, name, onClose }} />
  );
}
