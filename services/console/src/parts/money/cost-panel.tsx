import type { RunReport } from '#client/types.gen.ts';
import { Panel } from '../panels/panel.tsx';
import { formatCount } from '../words/numbers.ts';
import { moneyText } from '../campaign/arithmetic.ts';
import { titleOf } from '../words/action-titles.ts';

/** What a run has cost so far, step by step; nothing where no step costs units. */
export function CostPanel({ run }: { run: Pick<RunReport, 'cost' | 'kind'> }) {
  const { cost, kind } = run;
  if (!cost) return null;
  const total = moneyText(cost.amount, cost.currency);
  return (
    <Panel
      title={kind === 'dry-run' ? 'What it would cost' : 'Cost'}
      note={total ?? 'in units: nothing of it has a price'}
      footer={<>{formatCount(cost.units)} units, for users that succeeded, or of which it is unknown.</>}
    >
      <table className="sm [--row:27px]">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col" className="text-right">
              Units
            </th>
            <th scope="col" className="text-right">
              {cost.currency ?? 'Amount'}
            </th>
          </tr>
        </thead>
        <tbody>
          {cost.steps
            .filter(({ unitsPerUser }) => unitsPerUser > 0)
            .map(({ step, action, price, units, amount }) => (
              <tr key={step} title={price === null ? 'It has no price' : `At ${price} a unit`}>
                <th scope="row" className="wrap-anywhere">
                  {step} {titleOf(action)}
                </th>
                <td className="text-right">{formatCount(units)}</td>
                <td className="text-right whitespace-nowrap">{amount ?? '–'}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Panel>
  );
}
