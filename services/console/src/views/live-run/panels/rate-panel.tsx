import type { RunProgress } from '#client/types.gen.ts';
import { Icon } from '../../../parts/icon/icon.tsx';
import { countOf, formatRate } from '../../../parts/words/numbers.ts';
import { createMarkLookup, createWaitLookup } from '../figures/run-figures.ts';
import type { Column } from '../../../parts/data-table/columns.tsx';
import { DataTable } from '../../../parts/data-table/data-table.tsx';
import { ShareBar } from '../../../parts/data-table/share-bar.tsx';
import { Panel } from '../../../parts/panels/panel.tsx';
import type { RateMark } from '../../../parts/charts/draw-marks.ts';
import { RateChart } from '../../../parts/charts/rate-chart.tsx';
import type { RateSeries } from '../../../parts/charts/rate-series.ts';
import { foldedAbove } from '../../../parts/step-table/country-groups.ts';
import { sumRatesByStep, selectRates, type LineRate } from '../figures/line-rates.ts';
import { titleOf } from '../../../parts/words/action-titles.ts';

const maxLines = 8;

interface RatePanelProps {
  progress: RunProgress;
  series: RateSeries;
  rates: readonly LineRate[];
  marks: readonly RateMark[];
  recordedSince: string | null;
}

export function RatePanel({ progress, series, rates, marks, recordedSince }: RatePanelProps) {
  const audienceOf = (country: string) => progress.countries.find((each) => each.country === country)?.audience ?? 0;
  const isByStep = progress.countries.length > foldedAbove;
  const { lines, others } = isByStep
    ? { lines: sumRatesByStep(rates), others: 0 }
    : selectRates(rates, audienceOf, maxLines);
  const waitOf = createWaitLookup(progress);
  const highest = Math.max(1, ...lines.map(({ perSecond }) => perSecond ?? 0));
  const isOver = progress.endedAt !== null;
  const chart = <RateChart series={series} marks={marks} recordedSince={recordedSince} />;
  const columns: readonly Column<LineRate>[] = [
    {
      header: isByStep ? 'Step' : 'Shard',
      isRowHeader: true,
      width: isByStep ? 'w-36' : 'w-41',
      title: ({ step, action, country }) => `${step} ${titleOf(action)} ${country}`.trimEnd(),
      cell: ({ step, action, country }) => (
        <span className="flex gap-1.25">
          {step} <span className="truncate">{titleOf(action)}</span> <span>{country}</span>
        </span>
      ),
    },
    {
      header: 'Share of the fastest',
      cell: ({ country, step, cause, perSecond }) =>
        cause !== null && perSecond === 0 ? (
          <span className="row gap-1 c-bad whitespace-nowrap" title={cause}>
            <Icon name="open" size={14} />
            {waitOf(country, step)?.words ?? 'waits'}
          </span>
        ) : (
          <ShareBar share={(perSecond ?? 0) / highest} />
        ),
    },
    {
      header: 'Users per second',
      align: 'right',
      width: 'w-17.5',
      cell: ({ perSecond }) => (perSecond === null ? '–' : `${formatRate(perSecond)}/s`),
    },
  ];
  return (
    <Panel
      title={isByStep ? 'Rate by step' : 'Rate'}
      note={isByStep ? 'users who ended the step, per second' : 'users who ended a step, per second'}
      footer={isByStep && !isOver ? shardsInWords(rates, progress) : undefined}
    >
      {!isByStep && chart}
      {lines.length > 0 && !isOver && (
        <DataTable
          caption={isByStep ? 'Rate by step' : 'Rate by shard'}
          className={`table-fixed ${isByStep ? 'd30' : 'sm [--row:25px]'}`}
          columns={columns}
          rows={lines}
          keyOf={({ step, country }) => `${step} ${country}`}
          isHeadHidden
        />
      )}
      {isByStep && chart}
      {others > 0 && !isOver && <p className="sm t3 px-4 pt-1 pb-2.5">and {others} more, with fewer users</p>}
    </Panel>
  );
}

/** Describes the shards (a shard is an action type in a country): `156 shards move, 2 wait, 42 are done.` */
function shardsInWords(rates: readonly LineRate[], progress: RunProgress): string {
  const markOf = createMarkLookup(progress);
  const marks = rates.map(({ country, step }) => markOf(country, step));
  const waiting = marks.filter((mark) => mark === 'waits').length;
  const done = marks.filter((mark) => mark !== null).length - waiting;
  const moving = rates.filter(({ perSecond }, index) => (perSecond ?? 0) > 0 && marks[index] === null).length;
  return `${countOf(moving, 'shard moves', 'shards move')}, ${waiting} wait, ${done} are done.`;
}
