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

interface KpisProps {
  kpis: readonly Kpi[];
  isOld?: boolean;
  /** Long values, such as ranges: as many in a row as fit. */
  inRows?: boolean;
}

/** The few numbers that answer a page's question. Old ones turn grey, and stay. */
export function Kpis({ kpis, isOld = false, inRows = false }: KpisProps) {
  return (
    <dl className={`kpis ${isOld ? 'old' : ''} ${inRows ? 'rows' : ''}`.trimEnd()}>
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
