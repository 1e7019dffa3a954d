import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon/icon.tsx';
import { formatCount } from '../parts/words/numbers.ts';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { useNavigation, type NavigationEntry } from './navigation/navigation.ts';
import { useSession } from './session/session.ts';
import { useWork, type Work } from './use-work.ts';

interface SidebarProps {
  /** Called when the user has chosen an entry: on a phone, the drawer then closes. */
  onChosen?: () => void;
  onFind: () => void;
  onKeys: () => void;
  onZone: () => void;
}

export function Sidebar({ onChosen, onFind, onKeys, onZone }: SidebarProps) {
  const { installation } = useSession();
  const work = useWork();
  const navigation = useNavigation();
  return (
    <>
      <div className="px-2 pt-1 pb-2.5 rail:px-2.25 rail:[&_span]:hidden">
        <Brand environment={installation.name ?? undefined} />
      </div>
      <button
        type="button"
        className="flex items-center gap-2 h-7.5 mb-2 px-2 border border-line rounded-md bg-surface text-sm text-faint rail:px-2.25 phone:h-10"
        aria-label="Find or jump to"
        onClick={onFind}
      >
        <Icon name="search" size={14} />
        <span className="rail:hidden">Find or jump to</span>
        <kbd className="ml-auto rail:hidden">{findKeys}</kbd>
      </button>
      {navigation.map(({ heading, entries }) => (
        <div key={heading ?? ''} className={heading === null ? 'grid gap-0.5' : 'grid gap-0.5 rail:mt-3'}>
          {heading !== null && (
            <div className="px-2 pt-3 pb-1 text-xs leading-4 font-medium text-faint rail:hidden">{heading}</div>
          )}
          {entries.map((entry) => (
            <Entry key={entry.to} entry={entry} work={work.get(entry.to)} onChosen={onChosen} />
          ))}
        </div>
      ))}
      <AccountMenu onKeys={onKeys} onZone={onZone} />
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
    <Link
      to={to}
      className="nav rail:relative rail:px-2.25 phone:h-10"
      aria-label={name}
      title={name}
      onClick={onChosen}
    >
      <Icon name={icon} />
      <span className="rail:hidden">{label}</span>
      {work && (
        <span
          className={`ml-auto text-sm c-${work.tone} rail:absolute rail:top-1 rail:right-1 rail:size-1.75 rail:rounded-full rail:bg-current rail:text-[0]`}
        >
          {formatCount(work.count)}
        </span>
      )}
    </Link>
  );
}

const findKeys = navigator.userAgent.includes('Mac') ? '⌘ K' : 'Ctrl K';
