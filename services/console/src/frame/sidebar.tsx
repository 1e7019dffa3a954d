import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { navigation } from './navigation.ts';
import { useSession } from './session/session.ts';

interface SidebarProps {
  /** Called when something was chosen: on a phone the drawer closes then. */
  onChosen?: () => void;
  onFind: () => void;
  onKeys: () => void;
}

export function Sidebar({ onChosen, onFind, onKeys }: SidebarProps) {
  const { installation } = useSession();
  return (
    <>
      <Brand environment={installation.name ?? undefined} />
      <button type="button" className="find" aria-label="Find or jump to" onClick={onFind}>
        <Icon name="search" size={14} />
        <span>Find or jump to</span>
        <kbd className="push">{findKeys}</kbd>
      </button>
      {navigation.map(({ heading, entries }) => (
        <div key={heading ?? ''} className="nav-group">
          {heading !== null && <div className="nav-h">{heading}</div>}
          {entries.map(({ to, label, icon }) => (
            <Link key={to} to={to} className="nav" aria-label={label} title={label} onClick={onChosen}>
              <Icon name={icon} />
              <span>{label}</span>
            </Link>
          ))}
        </div>
      ))}
      <AccountMenu onKeys={onKeys} />
    </>
  );
}

const findKeys = navigator.userAgent.includes('Mac') ? '⌘ K' : 'Ctrl K';
