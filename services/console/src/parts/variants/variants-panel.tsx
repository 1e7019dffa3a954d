import { useMemo } from 'react';
import type { RateDifference, RunReport } from '#client/types.gen.ts';
import { nameWithShare } from '../campaign/variant-words.ts';
import type { Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { Panel } from '../panels/panel.tsx';
import { titleOf } from '../words/action-titles.ts';
import { countOf } from '../words/numbers.ts';
import { Differences } from './differences.tsx';
import { figuresOfStep, type FigureRow } from './variant-figures.ts';

interface VariantsPanelProps {
  run: Pick<RunReport, 'variants' | 'steps' | 'cost' | 'variantChoice' | 'undecidedUsers'>;
  /** Differences of a report; absent if they are not displayed. */
  differences?: readonly RateDifference[] | undefined;
}

/** Figures of each variant by step, and the differences between variants. Renders nothing if the run has none. */
export function VariantsPanel({ run, differences = [] }: VariantsPanelProps) {
  const { variants, steps, variantChoice, undecidedUsers } = run;
  const columns = useMemo(() => columnsOf(variants), [variants]);
  if (variants.length === 0) return null;
  return (
    <Panel
      title="Variants"
      note={describeShares(run)}
      footer={
        <>
          <p>
            Succeeded: percentage of the users whose step has ended, without held-out users.
            {steps.some(({ receipts }) => receipts) && ' Delivered: percentage of the accepted users.'}
          </p>
          {differences.length > 0 && (
            <p>
              The true difference lies between the two limits with a confidence of 95 %. A verdict needs enough users in
              each variant.{variantChoice && ' The differences compare only the canary users.'}
            </p>
          )}
          {undecidedUsers > 0 && (
            <p>
              {countOf(undecidedUsers, 'user')} outside the canary {undecidedUsers === 1 ? 'is' : 'are'} in no variant:
              a person chooses it after the canary.
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

/** Returns the shares of the variants, and the variant that was chosen after the canary. */
function describeShares({ variants, variantChoice }: VariantsPanelProps['run']): string {
  const shares = variants.map(nameWithShare).join(' · ');
  if (variantChoice === null) return shares;
  const { chosen } = variantChoice;
  return `${shares} of the canary users; ${chosen === null ? 'no variant is chosen yet' : `all others get ${chosen}`}`;
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
