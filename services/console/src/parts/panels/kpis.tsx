import type { ReactNode } from 'react';

export interface Kpi {
  name: string;
  value: string;
  unit?: string;
  /** Describes the number, or names another number to compare it with. */
  note: ReactNode;
  isBad?: boolean;
}

interface KpisProps {
  kpis: readonly Kpi[];
  isOld?: boolean;
  /** Wraps long values, such as ranges, into as many rows as needed. */
  inRows?: boolean;
}

/** The main numbers of a page. Outdated numbers stay, in grey. */
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
