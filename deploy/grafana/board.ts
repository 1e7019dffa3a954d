/** Query of a panel. Times are in seconds, rates per second, as in the metrics. */
export interface Query {
  expr: string;
  /** Name of each line; `{{label}}` is replaced by a label of its series. */
  legend: string;
}

export interface Panel {
  title: string;
  /** Meaning of the panel, and the values at which a person should act. */
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
  /** Labels that filter the whole board; a panel's series may lack them. */
  choices: Readonly<Record<string, string>>;
}

/** @param labels label matchers without braces */
export const rate = (metric: string, labels: string) => `rate(${metric}{${labels}}[$__rate_interval])`;

export const rateBy = (by: string, metric: string, labels = '') => `sum by (${by}) (${rate(metric, labels)})`;

export function quantiles(metric: string, by: readonly string[] = [], labels = ''): Query[] {
  const name = by.map((label) => `{{${label}}} `).join('');
  return [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, ${rateBy([...by, 'le'].join(', '), `${metric}_bucket`, labels)})`,
    legend: `${name}p${quantile * 100}`,
  }));
}
