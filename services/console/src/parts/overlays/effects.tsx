import type { ReactNode } from 'react';

export interface Effect {
  /** React key. Needed only if two effects have the same unit. */
  key?: string;
  /** Number such as `30,614`, or a time. */
  value: string;
  /** Unit such as `users half-way`. */
  unit: string;
  /** Highlights an effect that users easily overlook. */
  isHot?: boolean;
  lead?: string;
  children: ReactNode;
}

/** Effects of an action before it is confirmed. Each line has a number of users, and what happens to them. */
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
