import type { ReactNode } from 'react';

export interface Kpi {
  name: string;
  value: string;
  unit?: string;
  /** Of what, and beside what. */
  note: ReactNode;
}

/** The few numbers that answer a page's question. Old ones turn grey, and stay. */
export function Kpis({ kpis, isOld = false }: { kpis: readonly Kpi[]; isOld?: boolean }) {
  return (
    <dl className={isOld ? 'kpis old' : 'kpis'}>
      {kpis.map(({ name, value, unit, note }) => (
        <div className="kpi" key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {unit !== undefined && <small>{unit}</small>}
          </dd>
          <dd className="sub">{note}</dd>
        </div>
      ))}
    </dl>
  );
}
