import { z } from 'zod';

/** Severities in ascending order. A package with a vulnerability of `failsFrom` or above must not be released. */
const severities = ['info', 'low', 'moderate', 'high', 'critical'] as const;
const failsFrom = 'high';

/** Output of `npm audit --json` if the registry answers. */
const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.enum(severities),
      range: z.string(),
      /** Advisories; a text is the name of a package that brings one. */
      via: z.array(z.union([z.string(), z.object({ title: z.string(), url: z.string() })])),
    }),
  ),
  metadata: z.object({ dependencies: z.object({ prod: z.int().min(1) }) }),
});

/** Output of `npm audit --json` if the registry answers with a problem. */
const problem = z.object({ message: z.string(), statusCode: z.int().optional() });

/** Statuses of a registry that has packages and no advisories, such as many mirrors. */
const noEndpoint = new Set([404, 405, 501]);

export interface Judged {
  passed: boolean;
  /** True if the registry has no audit endpoint, or did not answer. */
  isUnanswered: boolean;
  /** Lines for people. */
  words: string;
}

/** Judges the output of `npm audit --omit=dev --json`: may the packages of an installation stay? */
export function judgeAudit(written: string): Judged {
  const reported = parseJson(written);
  const audited = report.safeParse(reported);
  if (audited.success) return judgeReport(audited.data);
  const { message, statusCode } = problem.safeParse(reported).data ?? { message: 'npm audit wrote no report' };
  if (statusCode !== undefined && noEndpoint.has(statusCode))
    return unanswered(true, `this registry has no audit endpoint (it answers ${statusCode})`);
  return unanswered(false, message);
}

function unanswered(passed: boolean, why: string): Judged {
  return { passed, isUnanswered: true, words: `not audited: ${why}` };
}

function judgeReport({ vulnerabilities, metadata }: z.infer<typeof report>): Judged {
  const found = Object.entries(vulnerabilities).toSorted(([, a], [, b]) => rankOf(b.severity) - rankOf(a.severity));
  const lines = found.map(([name, { severity, range, via }]) => `  ${severity}  ${name} ${range}: ${causes(via)}`);
  const isTooMuch = found.some(([, { severity }]) => rankOf(severity) >= rankOf(failsFrom));
  const packages = metadata.dependencies.prod;
  const sum = `${packages} packages at run time, ${found.length} with a known vulnerability`;
  return { passed: !isTooMuch, isUnanswered: false, words: [sum, ...lines].join('\n') };
}

function causes(via: z.infer<typeof report>['vulnerabilities'][string]['via']): string {
  return via.map((each) => (typeof each === 'string' ? `by ${each}` : `${each.title} (${each.url})`)).join('; ');
}

function rankOf(severity: (typeof severities)[number]): number {
  return severities.indexOf(severity);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
