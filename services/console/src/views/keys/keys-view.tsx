import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListedApiKey } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { roleWords, useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Empty } from '../../parts/standing/states.tsx';
import { CallsDialog } from './calls-dialog.tsx';
import { ChangeKeyDialog } from './change-key-dialog.tsx';
import { RevokeDialog, RotateDialog } from './key-dialogs.tsx';
import { KeyFilters } from './key-filter-fields.tsx';
import { KeyList } from './key-list.tsx';
import { roleDescriptions } from './key-words.ts';
import type { ExistingKeyCommand } from './keys-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { LetInDialog, ShutOutDialog } from './person-dialogs.tsx';
import { RefusedPeoplePanel } from './refused-people-panel.tsx';
import { keyRoles, type KeysSearch } from './search.ts';
import { StillUsedBanner } from './still-used-banner.tsx';
import { useListedKeys } from './use-listed-keys.ts';

const route = getRouteApi('/keys');

/** @param like key that the new one replaces */
type KeyCommand = { kind: 'new'; like?: ListedApiKey } | ExistingKeyCommand;

export function KeysView() {
  const refusal = useRefusal('operator');
  const [command, setCommand] = useState<KeyCommand>();
  return (
    <Page
      title="Keys and people"
      actions={
        <Button kind="ink" icon="plus" refusal={refusal} onClick={() => setCommand({ kind: 'new' })}>
          New key
        </Button>
      }
    >
      {refusal === undefined ? (
        <KeyPanels onCommand={setCommand} />
      ) : (
        <section className="panel" aria-label="Keys">
          <Empty icon="lock" title="Keys are shown to operators">
            {refusal}.
          </Empty>
        </section>
      )}
      {command && <CommandDialog command={command} onClose={() => setCommand(undefined)} />}
    </Page>
  );
}

function KeyPanels({ onCommand }: { onCommand: (command: KeyCommand) => void }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const listed = useListedKeys(search);
  const go = (change: Partial<KeysSearch>) => void navigate({ search: (before) => ({ ...before, ...change }) });
  const choose = (change: Partial<KeysSearch>) => go({ ...change, cursor: undefined });
  return (
    <>
      <StillUsedBanners keys={listed.stillUsed} onCommand={onCommand} />
      <KeyFilters search={search} counts={listed.counts} onChoose={choose} />
      <KeyList search={search} listed={listed} onCommand={onCommand} onGo={go} />
      {search.cursor === undefined && <RefusedPeoplePanel />}
      <Roles />
    </>
  );
}

/** Maximum number of banners for ended keys that are still used. The filter chip lists all such keys. */
const mostNamed = 3;

interface StillUsedBannersProps {
  keys: readonly ListedApiKey[];
  onCommand: (command: KeyCommand) => void;
}

function StillUsedBanners({ keys, onCommand }: StillUsedBannersProps) {
  return keys
    .slice(0, mostNamed)
    .map((apiKey) => (
      <StillUsedBanner
        key={apiKey.id}
        apiKey={apiKey}
        onReplace={() => onCommand({ kind: 'new', like: apiKey })}
        onRevoke={() => onCommand({ kind: 'revoke', apiKey })}
        onCalls={() => onCommand({ kind: 'calls', apiKey })}
      />
    ));
}

function Roles() {
  return (
    <p className="row flex-wrap sm t2 gap-x-4.5 gap-y-0.5">
      {keyRoles.map((each) => (
        <span key={each}>
          <b className="text-main">{roleWords[each]}</b> {roleDescriptions[each]}
        </span>
      ))}
    </p>
  );
}

function CommandDialog({ command, onClose }: { command: KeyCommand; onClose: () => void }) {
  if (command.kind === 'new') return <NewKeyDialog like={command.like} onClose={onClose} />;
  const { kind, apiKey } = command;
  if (kind === 'change') return <ChangeKeyDialog apiKey={apiKey} onClose={onClose} />;
  if (kind === 'rotate') return <RotateDialog apiKey={apiKey} onClose={onClose} />;
  if (kind === 'revoke') return <RevokeDialog apiKey={apiKey} onClose={onClose} />;
  if (kind === 'calls') return <CallsDialog apiKey={apiKey} onClose={onClose} />;
  const { id, name } = apiKey;
  return kind === 'shut-out' ? (
    <ShutOutDialog id={id} name={name} onClose={onClose} />
  ) : (
    <LetInDialog id={id} name={name} onClose={onClose} />
  );
}
