import { useIsFetching } from '@tanstack/react-query';
import { Link, useNavigate, type LinkProps } from '@tanstack/react-router';
import { use, useEffect, type ReactNode } from 'react';
import { Icon } from '../parts/icon/icon.tsx';
import { useKeys } from '../parts/keys/use-keys.ts';
import { plainText } from '../parts/words/plain-text.ts';
import { useZone } from '../parts/times/zone.ts';
import { ShellContext } from './shell-context.ts';

export interface Crumb {
  label: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

interface PageProps {
  /** Title of the browser tab, and of a page without crumbs. */
  title: string;
  /** Breadcrumbs. A page with crumbs renders its title itself, as its `h1`. */
  crumbs?: readonly Crumb[];
  /** Age of the numbers: `<Freshness …/>`. */
  freshness?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title: rawTitle, crumbs, freshness, actions, children }: PageProps) {
  const { openNavigation } = use(ShellContext);
  const zone = useZone();
  const title = plainText(rawTitle);
  // True while data is loaded for the first time, for screen readers.
  const isBusy = useIsFetching({ predicate: ({ state }) => state.status === 'pending' }) > 0;
  useBackKey(crumbs?.at(-1));
  useEffect(() => {
    document.title = `${title} · Muster`;
  }, [title]);
  return (
    <>
      <header className="sticky top-0 z-5 flex items-center gap-3 h-(--top) px-(--gut) border-b border-line bg-page phone:gap-2 phone:pl-3 phone:pr-2 phone:[&_.btn]:min-h-10 print:hidden">
        <button
          type="button"
          className="btn ghost icon hidden phone:inline-flex"
          aria-label="Open navigation"
          onClick={openNavigation}
        >
          <Icon name="menu" />
        </button>
        {crumbs ? (
          <Crumbs crumbs={crumbs} title={title} />
        ) : (
          <h1 className="text-lg leading-5 whitespace-nowrap">{title}</h1>
        )}
        <div className="ml-auto row gap-4">
          <button
            type="button"
            className="inline-flex items-center gap-1.5 text-sm text-quiet whitespace-nowrap hover:text-main phone:hidden"
            onClick={zone.toggle}
            title="Switch the time zone (T)"
          >
            <Icon name="globe" size={14} />
            {zone.label}
          </button>
          {freshness}
          {actions !== undefined && <div className="row">{actions}</div>}
        </div>
      </header>
      <main
        className="flex flex-col gap-4 pt-5 px-(--gut) pb-6 focus:outline-none phone:gap-3 phone:pt-3.5 print:gap-2.5 print:p-0"
        id="main"
        tabIndex={-1}
        aria-busy={isBusy}
      >
        {children}
      </main>
    </>
  );
}

/** Registers Escape, which leads to the parent page. */
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
    <nav className="flex items-center gap-1.5 min-w-0 text-faint whitespace-nowrap" aria-label="Breadcrumb">
      {crumbs.map(({ label, link }, index) => (
        <span key={label} className={index === 0 ? 'row gap-1' : 'row gap-1 phone:hidden'}>
          <Link {...link} className="hover:text-main">
            {plainText(label)}
          </Link>
          <Icon name="right" size={12} />
        </span>
      ))}
      <b className="truncate font-medium text-main" aria-current="page">
        {title}
      </b>
    </nav>
  );
}
