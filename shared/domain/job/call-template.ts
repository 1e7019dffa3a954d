/**
 * Bodies and headers that name what they are sent for: `{{jobId}}`. A name stands for a value, and `{{{{` for two
 * braces; there is nothing else, so filling is one pass over the text, and ends.
 */
export const templateNames = [
  'jobId',
  'attempt',
  'scheduledFor',
  'key',
  'orderingKey',
  'scheduleId',
  'group',
  'localTime',
] as const;

export type TemplateName = (typeof templateNames)[number];

/** By their names; what is missing, this call does not have. */
export type TemplateValues = Partial<Record<TemplateName, string>>;

/** What every job has when it is called, at its longest. */
const everyJobs: Required<Pick<TemplateValues, 'jobId' | 'attempt' | 'scheduledFor'>> = {
  jobId: 'x'.repeat(30),
  attempt: '1'.repeat(10),
  scheduledFor: 'x'.repeat(24),
};

/** Two braces; a name, spaces around it or not; two braces that are neither. */
const places = /\{\{\{\{|\{\{ *([A-Za-z]+) *\}\}|\{\{(?!\{)/g;

/** Where values go: into the text of a JSON document, escaped as its strings are, or as they are. */
export type TemplateForm = 'json' | 'text';

/** What has no value stays as it is written. */
export function fillTemplate(template: string, values: TemplateValues, form: TemplateForm): string {
  return template.replace(places, (written, name: string | undefined) => {
    if (written === '{{{{') return '{{';
    const value = name !== undefined && isTemplateName(name) ? values[name] : undefined;
    if (value === undefined) return written;
    return form === 'json' ? JSON.stringify(value).slice(1, -1) : value;
  });
}

/** The same for the value of a header, which has one line of visible ASCII whatever is filled in. */
export function fillHeader(template: string, values: TemplateValues): string {
  return fillTemplate(template, values, 'text').replace(/[^\t\x20-\x7e]/g, '?');
}

function isTemplateName(name: string): name is TemplateName {
  return templateNames.some((known) => known === name);
}

export interface TemplateProblem {
  code: 'unknown-name' | 'no-value' | 'not-json' | 'too-long';
  detail: string;
}

export interface TemplateToCheck {
  text: string;
  form: TemplateForm;
  /** Known when it is accepted. */
  values: TemplateValues;
  /** Why a name that is known has no value here; other names are simply not known. */
  without: TemplateValues;
  /** Once it is filled. */
  maxBytes: number;
}

/** What is wrong with a template; nothing where each call can be filled, whatever its attempt. */
export function templateProblems({ text, form, values, without, maxBytes }: TemplateToCheck): TemplateProblem[] {
  const had: TemplateValues = { ...everyJobs, ...values };
  const problems: TemplateProblem[] = [];
  for (const { 0: written, 1: name, index } of text.matchAll(places)) {
    if (written === '{{{{') continue;
    const where = `at character ${index + 1}`;
    if (name === undefined || !isTemplateName(name)) {
      const shown = JSON.stringify(name === undefined ? text.slice(index, index + 20) : written);
      const detail = `has ${shown} ${where}, which names nothing; names are ${Object.keys(had).join(', ')}, and {{{{ is {{`;
      problems.push({ code: 'unknown-name', detail });
    } else if (had[name] === undefined) {
      const why = without[name] ?? 'it has none';
      problems.push({ code: 'no-value', detail: `has ${JSON.stringify(written)} ${where}, and ${why}` });
    }
  }
  if (problems.length > 0) return problems;
  const bytes = longestBytes(text, values, form);
  if (bytes > maxBytes) {
    const detail = `may have ${bytes} bytes once it is filled, at most ${maxBytes} are sent`;
    problems.push({ code: 'too-long', detail });
  }
  if (form === 'json' && !isJson(fillTemplate(text, samples, form)))
    problems.push({ code: 'not-json', detail: notJson });
  return problems;
}

/** Of a template that is filled: no call has more. */
export function longestBytes(text: string, values: TemplateValues, form: TemplateForm): number {
  return Buffer.byteLength(fillTemplate(text, { ...everyJobs, ...values }, form));
}

const notJson =
  'is not JSON once it is filled: names stand inside of texts, as in "{{jobId}}", and {{attempt}} in place of a number too';

/** A letter is part of no JSON but within a text; a digit may be part of a number. */
const samples: TemplateValues = Object.fromEntries(templateNames.map((name) => [name, name === 'attempt' ? '1' : 'x']));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
