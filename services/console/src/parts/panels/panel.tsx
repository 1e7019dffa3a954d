import { useId, type ReactNode } from 'react';

interface PanelProps {
  title: string;
  /** What says more about the title, such as a unit. */
  note?: ReactNode;
  /** To the right of the title. */
  actions?: ReactNode;
  footer?: ReactNode;
  /** Space around what is in it; tables go to the edges. */
  padded?: boolean;
  children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Panel({ title, note, actions, footer, padded = false, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span className="t3 sm">{note}</span>}
        {actions !== undefined && <div className="ml-auto">{actions}</div>}
      </header>
      {padded ? <div className="pad">{children}</div> : children}
      {footer !== undefined && <footer>{footer}</footer>}
    </section>
  );
}
