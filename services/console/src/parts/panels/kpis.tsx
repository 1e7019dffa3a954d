import type { ReactNode } from 'react';

export interface Kpi {
  name: string;
  value: string;
  unit?: string;
  /** Of what, and beside what. */
  note: ReactNode;
  /** Beyond what is bearable. */
  isBad?: boolean;
}

/** The few numbers that answer a page's question. Old ones turn grey, and stay. */
export function Kpis({ kpis, isOld = false }: { kpis: readonly Kpi[]; isOld?: boolean }) {
  return (
    <dl className={isOld ? 'kpis old' : 'kpis'}>
      {kpis.map(({ name, value, unit, note, isBad = false }) => (
        <div className="kpi" key={name}>
          <dt>{name}</dt>
          <dd className={isBad ? 'c-bad' : undefined}>
            {value} {unit !== undefined && <small>{unit}</small>}
          </dd>
          <dd className="sub">{note}</dd>
        </div>
      ))}
    </dl>
  );
}
