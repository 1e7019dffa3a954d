import { useEffect, useRef } from 'react';
import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { formatCount, formatRate } from '../words/numbers.ts';
import { useFormatTime, useZone } from '../times/zone.ts';
import { drawMarks, drawNow, type RateMark } from './draw-marks.ts';
import { coloursOf, type ChartColours } from './chart-colours.ts';
import { scaleTop, summaryOf, type RateSeries } from './rate-series.ts';

export interface RateLineProps {
  series: RateSeries;
  /** Events in the order of their time, drawn as dashed lines with labels. */
  marks: readonly RateMark[];
}

const heightPx = 148;

/** Users that ended a step per second. Updates are drawn on the canvas without rendering React. */
export function RateLine({ series, marks }: RateLineProps) {
  const place = useRef<HTMLDivElement>(null);
  const latestMarks = useRef(marks);
  const chart = useRef<uPlot | null>(null);
  const { zone } = useZone();
  const formatTime = useFormatTime();
  const latestFormat = useRef(formatTime);

  useEffect(() => {
    latestMarks.current = marks;
    latestFormat.current = formatTime;
    if (chart.current) redraw(chart.current, series);
  });

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let colours = coloursOf(element);
    const plot = new uPlot(
      optionsOf({ width: element.clientWidth, zone, colours: () => colours, marks: () => latestMarks.current }),
      [[], []],
      element,
    );
    chart.current = plot;
    show(plot, series);
    const tell = () =>
      element.setAttribute(
        'aria-label',
        labelOf(series, (ms) => latestFormat.current(new Date(ms))),
      );
    tell();
    const leave = series.subscribe(() => {
      show(plot, series);
      tell();
    });
    const recolour = () => {
      colours = coloursOf(element);
      redraw(plot, series);
    };
    const themes = new MutationObserver(recolour);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', recolour);
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    sizes.observe(element);
    return () => {
      leave();
      themes.disconnect();
      sizes.disconnect();
      system.removeEventListener('change', recolour);
      plot.destroy();
      chart.current = null;
    };
  }, [series, zone]);

  return <div ref={place} className="h-37 overflow-hidden [&_canvas]:block" role="img" />;
}

/** Redraws unless the series is empty: without a point there are no scales, and uPlot throws when it draws its axes. */
function redraw(plot: uPlot, series: RateSeries): void {
  if (series.points().length > 0) plot.redraw();
}

/** Sets both scales explicitly: by default, uPlot shows a whole day for a single point. */
function show(plot: uPlot, series: RateSeries): void {
  const points = series.points();
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return;
  const times = points.map(({ atMs }) => atMs / 1000);
  const values = points.map(({ perSecond }) => perSecond);
  const to = last.atMs / 1000;
  plot.batch(() => {
    plot.setData([times, values], false);
    plot.setScale('x', { min: Math.min(first.atMs / 1000, to - minSpanSeconds), max: to });
    plot.setScale('y', { min: 0, max: scaleTop(Math.max(...values)) });
  });
}

function labelOf(series: RateSeries, timeOf: (ms: number) => string): string {
  const summary = summaryOf(series.points());
  if (!summary) return 'Users per second: nothing to show yet';
  const { now, highest, sinceMs } = summary;
  return `Users per second since ${timeOf(sinceMs)}: now ${formatRate(now)}, at most ${formatRate(highest)}`;
}

function lastMinute() {
  const max = Date.now() / 1000;
  return { min: max - minSpanSeconds, max };
}

interface OptionDeps {
  width: number;
  zone: string;
  colours: () => ChartColours;
  marks: () => readonly RateMark[];
}

/** Shortest span of the axis, so that a new run does not look like a steep rise. */
const minSpanSeconds = 60;

/** Whole minutes only, so that no two ticks have the same label. */
const tickSeconds = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * 60);

/** Width in pixels of the labels left of the chart. uPlot passes null before there are labels. */
function widthOfLabels(labels: readonly string[] | null): number {
  return Math.max(44, 10 + 6.3 * Math.max(0, ...(labels ?? []).map(({ length }) => length)));
}

function optionsOf({ width, zone, colours, marks }: OptionDeps): uPlot.Options {
  const clock = uPlot.fmtDate('{HH}:{mm}');
  const axis = { stroke: () => colours().text, font: '11px Inter, system-ui, sans-serif', ticks: { show: false } };
  return {
    width,
    height: heightPx,
    // Pixels above, right, below and left of the plot. The right side needs space for the current value, up to
    // 99,999/s.
    padding: [34, 62, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
    // uPlot cannot draw axes without bounds, so there are bounds before the first point.
    scales: { x: { time: true, auto: false, ...lastMinute() }, y: { auto: false, min: 0, max: scaleTop(0) } },
    axes: [
      {
        ...axis,
        size: 22,
        space: 56,
        incrs: tickSeconds,
        grid: { show: false },
        values: (_plot, splits) => splits.map((at) => clock(uPlot.tzDate(new Date(at * 1000), zone))),
      },
      {
        ...axis,
        size: (_plot, labels) => widthOfLabels(labels),
        gap: 6,
        space: 24,
        grid: { stroke: () => colours().grid, width: 1 },
        values: (_plot, splits) =>
          splits.map((value) => (Number.isInteger(value) ? formatCount(value) : formatRate(value))),
      },
    ],
    series: [
      {},
      {
        stroke: () => colours().line,
        fill: () => colours().area,
        width: 1.5,
        points: { show: false },
      },
    ],
    hooks: {
      draw: [
        (plot) => {
          drawMarks(plot, marks(), colours());
          drawNow(plot, colours());
        },
      ],
    },
  };
}
