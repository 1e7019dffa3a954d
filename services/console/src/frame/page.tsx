import { useIsFetching } from '@tanstack/react-query';
import { Link, useNavigate, type LinkProps } from '@tanstack/react-router';
import { use, useEffect, type ReactNode } from 'react';
import { Icon } from '../parts/icon/icon.tsx';
import { useKeys } from '../parts/keys/use-keys.ts';
import { useZone } from '../parts/times/zone.ts';
import { ShellContext } from './shell-context.ts';

export interface Crumb {
  label: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

interface PageProps {
  /** Of the browser's tab, and of the page where there are no crumbs. */
  title: string;
  /** The way here: a page with crumbs shows its title itself, as its `h1`. */
  crumbs?: readonly Crumb[];
  /** How old the numbers are: `<Freshness …/>`. */
  freshness?: ReactNode;
  /** To the right in the top bar. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A view: its top bar, and beneath it what it shows. */
export function Page({ title, crumbs, freshness, actions, children }: PageProps) {
  const { openNavigation } = use(ShellContext);
  const zone = useZone();
  // Something is asked for that was never shown: a screen reader waits for it.
  const isBusy = useIsFetching({ predicate: ({ state }) => state.status === 'pending' }) > 0;
  useBackKey(crumbs?.at(-1));
  useEffect(() => {
    document.title = `${title} · Muster`;
  }, [title]);
  return (
    <>
      <header className="top">
        <button type="button" className="btn ghost icon menu-btn" aria-label="Open navigation" onClick={openNavigation}>
          <Icon name="menu" />
        </button>
        {crumbs ? <Crumbs crumbs={crumbs} title={title} /> : <h1>{title}</h1>}
        <div className="ml-auto row gap-4">
          <button type="button" className="zone" onClick={zone.toggle} title="Times in another zone (T)">
            <Icon name="globe" size={14} />
            {zone.label}
          </button>
          {freshness}
          {actions !== undefined && <div className="row">{actions}</div>}
        </div>
      </header>
      <main className="page" id="main" tabIndex={-1} aria-busy={isBusy}>
        {children}
      </main>
    </>
  );
}

/** Out of a page, to the one above it. */
function useBackKey(above: Crumb | undefined): void {
  const navigate = useNavigate();
  useKeys(
    above
      ? [{ keys: 'Escape', does: `Back to ${above.label}`, group: 'Go to', run: () => void navigate(above.link) }]
      : [],
  );
}

function Crumbs({ crumbs, title }: { crumbs: readonly Crumb[]; title: string }) {
  return (
    <nav className="crumb" aria-label="Breadcrumb">
      {crumbs.map(({ label, link }, index) => (
        <span key={label} className={index === 0 ? 'row gap-1' : 'row gap-1 opt'}>
          <Link {...link}>{label}</Link>
          <Icon name="right" size={12} />
        </span>
      ))}
      <b aria-current="page">{title}</b>
    </nav>
  );
}
