import type { Board, Panel } from './board.ts';

/** Half of a board, which is 24 columns wide. */
const width = 12;
const height = 8;
const source = { type: 'prometheus', uid: '${source}' };

/** Renders a board as JSON for Grafana 11 and later. */
export function renderBoard(board: Board): string {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: inSection } of board.sections) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { h: 1, w: 24, x: 0, y },
    });
    y += 1;
    for (const [index, panel] of inSection.entries()) {
      const gridPos = { h: height, w: width, x: (index % 2) * width, y: y + Math.floor(index / 2) * height };
      panels.push(renderPanel(panel, panels.length + 1, gridPos));
    }
    y += Math.ceil(inSection.length / 2) * height;
  }
  const dashboard = {
    uid: board.uid,
    title: board.title,
    tags: ['muster'],
    schemaVersion: 39,
    editable: false,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    links: [
      { type: 'dashboards', tags: ['muster'], title: 'Muster', asDropdown: false, includeVars: false, keepTime: true },
    ],
    templating: { list: [dataSource, ...Object.entries(board.choices).map(([label, query]) => choice(label, query))] },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

const dataSource = { name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' };

const choice = (label: string, query: string) => ({
  name: label,
  label,
  type: 'query',
  datasource: source,
  query: { query, refId: label },
  definition: query,
  includeAll: true,
  multi: true,
  allValue: '.*',
  current: { text: ['All'], value: ['$__all'] },
  refresh: 2,
  sort: 1,
});

function renderPanel({ title, meaning, unit, queries }: Panel, id: number, gridPos: object): object {
  return {
    id,
    type: 'timeseries',
    title,
    description: meaning,
    datasource: source,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, spanNulls: true } }, overrides: [] },
    options: {
      legend: {
        displayMode: 'table',
        placement: 'right',
        calcs: ['lastNotNull', 'max'],
        sortBy: 'Last *',
        sortDesc: true,
      },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: source,
      expr,
      legendFormat: legend,
    })),
  };
}
