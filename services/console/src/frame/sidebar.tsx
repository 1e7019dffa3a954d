import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { Brand } from './brand.tsx';
import { navigation } from './navigation.ts';

interface SidebarProps {
  /** Called when something was chosen: on a phone the drawer closes then. */
  onChosen?: () => void;
  onFind: () => void;
}

export function Sidebar({ onChosen, onFind }: SidebarProps) {
  return (
    <>
      <Brand />
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
    </>
  );
}

const findKeys = navigator.userAgent.includes('Mac') ? '⌘ K' : 'Ctrl K';
