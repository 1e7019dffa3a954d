import { Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useKeyListener, useKeys, type KeyCommand } from '../parts/keys/use-keys.ts';
import { Modal } from '../parts/overlays/modal.tsx';
import { useZone } from '../parts/times/zone.ts';
import { useNavigation } from './navigation/navigation.ts';
import { ShellContext } from './shell-context.ts';
import { Sidebar } from './sidebar.tsx';

const FindDialog = lazy(() =>
  import('./find/find-dialog.tsx').then(({ FindDialog: component }) => ({ default: component })),
);
const ZoneDialog = lazy(() =>
  import('./zone-dialog.tsx').then(({ ZoneDialog: component }) => ({ default: component })),
);
const KeysDialog = lazy(() =>
  import('./keys-dialog.tsx').then(({ KeysDialog: component }) => ({ default: component })),
);

type Overlay = 'navigation' | 'find' | 'keys' | 'zone' | undefined;

export function Shell() {
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  useKeyListener();
  useFrameKeys(() => setOverlay('keys'));
  useFindKey(() => setOverlay('find'));
  return (
    <ShellContext value={{ openNavigation: () => setOverlay('navigation') }}>
      <button
        type="button"
        className="absolute left-2 -top-15 z-50 py-1.5 px-3 border border-line-2 rounded-md bg-surface focus:top-2"
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to the page
      </button>
      <div className="grid grid-cols-[var(--side)_minmax(0,1fr)] min-h-screen phone:block print:block">
        <nav
          className="sticky top-0 flex flex-col gap-0.5 h-screen py-2.5 px-2 border-r border-line phone:hidden print:hidden"
          aria-label="Main"
        >
          <Sidebar
            onFind={() => setOverlay('find')}
            onKeys={() => setOverlay('keys')}
            onZone={() => setOverlay('zone')}
          />
        </nav>
        {overlay === 'navigation' && (
          <Modal
            label="Navigation"
            className="w-65 h-dvh max-h-none m-0 py-2.5 px-2 border-0 border-r border-line bg-page"
            onClose={close}
          >
            <nav className="flex flex-col gap-0.5 min-h-[calc(100dvh-20px)]" aria-label="Main">
              <Sidebar
                onChosen={close}
                onFind={() => setOverlay('find')}
                onKeys={() => setOverlay('keys')}
                onZone={() => setOverlay('zone')}
              />
            </nav>
          </Modal>
        )}
        <div className="flex flex-col min-w-0">
          <Outlet />
        </div>
      </div>
      <Suspense>
        {overlay === 'find' && <FindDialog onClose={close} />}
        {overlay === 'keys' && <KeysDialog onClose={close} />}
        {overlay === 'zone' && <ZoneDialog onClose={close} />}
      </Suspense>
    </ShellContext>
  );
}

function useFrameKeys(showKeys: () => void): void {
  const navigate = useNavigate();
  const { toggle } = useZone();
  const places: KeyCommand[] = useNavigation()
    .flatMap(({ entries }) => entries)
    .flatMap(({ to, label, key }) =>
      key === undefined
        ? []
        : [{ keys: `G ${key}`, does: label, group: 'Go to' as const, run: () => void navigate({ to }) }],
    );
  useKeys([
    ...places,
    { keys: 'C', does: 'New campaign', group: 'Everywhere', run: () => void navigate({ to: '/campaigns/new' }) },
    { keys: 'T', does: 'Switch the time zone', group: 'Everywhere', run: toggle },
    { keys: '?', does: 'Keyboard shortcuts', group: 'Everywhere', run: showKeys },
  ]);
}

/** Handles Ctrl K and ⌘ K, in fields too, because a key with a modifier types no text. */
function useFindKey(onFind: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      onFind();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [onFind]);
}
