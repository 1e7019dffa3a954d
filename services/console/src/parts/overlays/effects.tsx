import type { ReactNode } from 'react';

export interface Effect {
  /** Of two with the same unit. */
  key?: string;
  /** `30,614`, or a time. */
  value: string;
  /** `users half-way` */
  unit: string;
  /** The one that is easily overlooked. */
  isHot?: boolean;
  /** The words that it begins with, in bold. */
  lead?: string;
  /** What becomes of them. */
  children: ReactNode;
}

/** Before something is done, what it will do: a number of people in each line, and what becomes of them. */
export function Effects({ effects }: { effects: readonly Effect[] }) {
  return (
    <div className="box">
      {effects.map(({ key, value, unit, isHot = false, lead, children }) => (
        <div
          key={key ?? unit}
          className={`grid grid-cols-[104px_1fr] gap-3 py-2.25 px-3 border-t border-line first:border-0 phone:grid-cols-[86px_1fr] phone:gap-2.5 phone:py-2 phone:px-2.5 ${isHot ? 'bg-(--warn-bg)' : ''}`}
        >
          <div className="text-right">
            <b className="block text-lg">{value}</b>
            <small className="block text-faint">{unit}</small>
          </div>
          <p className="text-quiet [&_strong]:text-main">
            {lead !== undefined && <strong>{lead} </strong>}
            {children}
          </p>
        </div>
      ))}
    </div>
  );
}
