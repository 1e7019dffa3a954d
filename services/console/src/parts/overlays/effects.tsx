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
  /** What becomes of them. */
  children: ReactNode;
}

/** Before something is done, what it will do: a number of people in each line, and what becomes of them. */
export function Effects({ effects }: { effects: readonly Effect[] }) {
  return (
    <div className="eff">
      {effects.map(({ key, value, unit, isHot = false, children }) => (
        <div key={key ?? unit} className={isHot ? 'hot' : undefined}>
          <div>
            <b>{value}</b>
            <small>{unit}</small>
          </div>
          <p>{children}</p>
        </div>
      ))}
    </div>
  );
}
