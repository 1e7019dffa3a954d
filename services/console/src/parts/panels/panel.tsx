import { useId, type ReactNode } from 'react';

interface PanelProps {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  footer?: ReactNode;
  /** True if the content has space around it. Tables extend to the edges. */
  padded?: boolean;
  children: ReactNode;
}

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
