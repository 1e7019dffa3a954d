import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon/icon.tsx';
import { formatCount } from '../parts/words/numbers.ts';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { navigation, type NavigationEntry } from './navigation.ts';
import { useSession } from './session/session.ts';
import { useWork, type Work } from './use-work.ts';

interface SidebarProps {
  /** Called when something was chosen: on a phone the drawer closes then. */
  onChosen?: () => void;
  onFind: () => void;
  onKeys: () => void;
}

export function Sidebar({ onChosen, onFind, onKeys }: SidebarProps) {
  const { installation } = useSession();
  const work = useWork();
  return (
    <>
      <Brand environment={installation.name ?? undefined} />
      <button type="button" className="find" aria-label="Find or jump to" onClick={onFind}>
        <Icon name="search" size={14} />
        <span>Find or jump to</span>
        <kbd className="ml-auto">{findKeys}</kbd>
      </button>
      {navigation.map(({ heading, entries }) => (
        <div key={heading ?? ''} className="nav-group">
          {heading !== null && <div className="nav-h">{heading}</div>}
          {entries.map((entry) => (
            <Entry key={entry.to} entry={entry} work={work.get(entry.to)} onChosen={onChosen} />
          ))}
        </div>
      ))}
      <AccountMenu onKeys={onKeys} />
    </>
  );
}

interface EntryProps {
  entry: NavigationEntry;
  work: Work | undefined;
  onChosen: (() => void) | undefined;
}

function Entry({ entry: { to, label, icon }, work, onChosen }: EntryProps) {
  const name = work ? `${label}, ${work.words}` : label;
  return (
    <Link to={to} className="nav" aria-label={name} title={name} onClick={onChosen}>
      <Icon name={icon} />
      <span>{label}</span>
      {work && <span className={`n c-${work.tone}`}>{formatCount(work.count)}</span>}
    </Link>
  );
}

const findKeys = navigator.userAgent.includes('Mac') ? '⌘ K' : 'Ctrl K';
