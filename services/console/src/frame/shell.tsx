import { Drawer } from '@mantine/core';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useKeyListener, useKeys, type KeyCommand } from '../parts/keys/use-keys.ts';
import { useZone } from '../parts/zone.ts';
import { ShellContext } from './shell-context.ts';
import { navigation } from './navigation.ts';
import { Sidebar } from './sidebar.tsx';

/** What stands around every view: the navigation, and the keys that work everywhere. */
export function Shell() {
  const [drawerOpen, setDrawerOpen] = useState(false);
  const [findOpen, setFindOpen] = useState(false);
  useKeyListener();
  useFrameKeys();
  return (
    <ShellContext value={{ openNavigation: () => setDrawerOpen(true) }}>
      <a className="skip" href={`${location.pathname}#main`} onClick={focusMain}>
        Skip to the page
      </a>
      <div className="app">
        <nav className="side" aria-label="Main">
          <Sidebar onFind={() => setFindOpen(!findOpen)} />
        </nav>
        <Drawer.Root opened={drawerOpen} onClose={() => setDrawerOpen(false)} size={260} aria-label="Navigation">
          <Drawer.Overlay />
          <Drawer.Content className="drawer" aria-label="Navigation">
            <nav aria-label="Main">
              <Sidebar onChosen={() => setDrawerOpen(false)} onFind={() => setDrawerOpen(false)} />
            </nav>
          </Drawer.Content>
        </Drawer.Root>
        <div className="main">
          <Outlet />
        </div>
      </div>
    </ShellContext>
  );
}

function useFrameKeys(): void {
  const navigate = useNavigate();
  const { toggle } = useZone();
  const places: KeyCommand[] = navigation
    .flatMap(({ entries }) => entries)
    .flatMap(({ to, label, key }) =>
      key === undefined
        ? []
        : [{ keys: `G ${key}`, does: label, group: 'Go to' as const, run: () => void navigate({ to }) }],
    );
  useKeys([
    ...places,
    { keys: 'C', does: 'New campaign', group: 'Everywhere', run: () => void navigate({ to: '/campaigns/new' }) },
    { keys: 'T', does: 'Times in your zone or in UTC', group: 'Everywhere', run: toggle },
  ]);
}

function focusMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
