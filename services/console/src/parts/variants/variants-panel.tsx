import { useMemo } from 'react';
import type { RateDifference, RunReport } from '#client/types.gen.ts';
import { nameWithShare } from '../campaign/variant-words.ts';
import { IntervalPlot } from '../charts/interval-plot.tsx';
import type { Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { Icon } from '../icon/icon.tsx';
import { Panel } from '../panels/panel.tsx';
import { titleOf } from '../words/action-titles.ts';
import { formatCount } from '../words/numbers.ts';
import { axisLimitOf, describeDifference, figuresOfStep, type FigureRow } from './variant-figures.ts';

const rateNames: Record<RateDifference['rate'], string> = { succeeded: 'Succeeded', delivered: 'Delivered' };

interface VariantsPanelProps {
  run: Pick<RunReport, 'variants' | 'steps' | 'cost'>;
  /** Differences of a report; empty for a run that is still watched. */
  differences?: readonly RateDifference[];
}

/** Figures of each variant by step, and the differences between variants. Renders nothing if the run has none. */
export function VariantsPanel({ run, differences = [] }: VariantsPanelProps) {
  const { variants, steps } = run;
  const columns = useMemo(() => columnsOf(variants), [variants]);
  if (variants.length === 0) return null;
  return (
    <Panel
      title="Variants"
      note={variants.map(nameWithShare).join(' · ')}
      footer={
        <>
          <p>
            Succeeded: percentage of the users whose step has ended, without held-out users.
            {steps.some(({ receipts }) => receipts) && ' Delivered: percentage of the accepted users.'}
          </p>
          {differences.length > 0 && (
            <p>
              The true difference lies between the two limits with a confidence of 95 %. A verdict needs enough users in
              each variant.
            </p>
          )}
        </>
      }
    >
      {steps.map(({ step, action }) => {
        const ofStep = differences.filter((each) => each.step === step);
        return (
          <section
            key={step}
            aria-label={`Variants in step ${step}`}
            className={`grid ${ofStep.length === 0 ? 'grid-cols-1' : 'grid-cols-2 max-[1100px]:grid-cols-1'} items-start not-first-of-type:border-t border-line-2`}
          >
            <DataTable
              caption={`${step} ${titleOf(action)}`}
              captionLook="text-left font-medium px-4 pt-2.5 pb-1"
              className="d30 table-fixed sm"
              columns={columns}
              rows={figuresOfStep(run, step)}
              keyOf={({ name }) => name}
            />
            <Differences differences={ofStep} />
          </section>
        );
      })}
    </Panel>
  );
}

/** A column for each variant, and a last column for all of them, so that the figures can be checked. */
function columnsOf(variants: RunReport['variants']): readonly Column<FigureRow>[] {
  const figure = (header: string, place: number): Column<FigureRow> => ({
    header,
    head: <span className="inline-block max-w-full whitespace-normal wrap-anywhere leading-4 py-1">{header}</span>,
    align: 'right',
    look: 'whitespace-nowrap phone:whitespace-normal',
    cell: ({ cells }) => <Figure cell={cells[place]} />,
  });
  return [
    {
      header: 'Figure',
      isHeaderHidden: true,
      isRowHeader: true,
      width: 'w-31 phone:w-25',
      look: 't2',
      cell: ({ name }) => name,
    },
    ...variants.map(({ name }, place) => figure(name, place)),
    { ...figure('All', variants.length), ...(variants.length > 2 && { hideBelow: 'phone' as const }) },
  ];
}

function Figure({ cell }: { cell: FigureRow['cells'][number] | undefined }) {
  if (!cell) return null;
  return (
    <>
      {cell.value}
      {cell.share !== null && <span className="t3 phone:block"> {cell.share}</span>}
    </>
  );
}

function Differences({ differences }: { differences: readonly RateDifference[] }) {
  if (differences.length === 0) return null;
  const limit = axisLimitOf(differences);
  const end = formatCount(limit * 100);
  return (
    <div className="px-4 py-2.5 grid gap-2.5">
      <h3 className="text-sm font-medium t2">Differences</h3>
      <ul className="grid gap-3">
        {differences.map((difference) => (
          <Difference key={`${difference.rate} ${difference.of}`} {...{ difference, limit }} />
        ))}
      </ul>
      <div className="difference t3 text-xs" aria-hidden="true">
        <span className="phone:hidden" />
        <span className="grid grid-cols-3">
          <span>−{end}</span>
          <span className="text-center">0</span>
          <span className="text-right">+{end} points</span>
        </span>
      </div>
    </div>
  );
}

function Difference({ difference, limit }: { difference: RateDifference; limit: number }) {
  const { rate, difference: value, low, high } = difference;
  const { lead, interval, verdict, isDecided } = describeDifference(difference);
  return (
    <li className="difference">
      <div className="min-w-0 wrap-anywhere">
        <div>
          <span className="t2">{rateNames[rate]}</span> <b className="font-medium">{lead}</b>, {interval}
        </div>
        <div className={`row gap-1 sm ${isDecided ? '' : 't2'}`}>
          <Icon name={isDecided ? 'check' : 'pending'} size={12} />
          {verdict}
        </div>
      </div>
      <IntervalPlot {...{ value, low, high, limit, isDecided }} label={`${lead}, ${interval}`} />
    </li>
  );
}
