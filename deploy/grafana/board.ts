/** What the panels of a board show, and how. Times are in seconds, rates a second, as the metrics are. */
export interface Query {
  /** PromQL. */
  expr: string;
  /** What each line is called; `{{label}}` stands for a label of its series. */
  legend: string;
}

export interface Panel {
  title: string;
  /** What it says, and from when on a person has to look. */
  meaning: string;
  unit: 'short' | 's' | 'ops' | 'percentunit' | 'bool';
  queries: readonly Query[];
}

export interface Section {
  title: string;
  panels: readonly Panel[];
}

export interface Board {
  uid: string;
  title: string;
  sections: readonly Section[];
  /** Labels by which the whole board can be narrowed; each panel's series may leave them out. */
  choices: Readonly<Record<string, string>>;
}

/** @param labels in braces; the series of one metric over 5 minutes */
export const rate = (metric: string, labels: string) => `rate(${metric}{${labels}}[$__rate_interval])`;

export const rateBy = (by: string, metric: string, labels = '') => `sum by (${by}) (${rate(metric, labels)})`;

/** Half of them take less than the first, and of a hundred one longer than the second. */
export function quantiles(metric: string, by: readonly string[] = [], labels = ''): Query[] {
  const name = by.map((label) => `{{${label}}} `).join('');
  return [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, ${rateBy([...by, 'le'].join(', '), `${metric}_bucket`, labels)})`,
    legend: `${name}p${quantile * 100}`,
  }));
}
