import { fieldsOf, leavesOf, type LeafField } from '../../../parts/forms/schema-fields.ts';
import { useNamedOption } from '../../../parts/forms/use-options.ts';
import { schemaOf } from '../../../parts/campaign/params-form.ts';
import type { Editor } from '../form/use-editor.ts';
import { quotedTitleOf } from '../../../parts/words/action-titles.ts';

/** Lists the options that the steps use, with the names that the teams of the actions gave them. */
export function ChosenOptions({ editor: { form, types } }: { editor: Editor }) {
  const chosen = form.steps.flatMap((step) => {
    const leaves = leavesOf(fieldsOf(schemaOf(step.action, types)) ?? []);
    const texts = (step.ofVariants === null ? [step] : Object.values(step.ofVariants))
      .filter(({ asJson }) => !asJson)
      .map((params) => params.texts);
    return leaves
      .filter(({ listedAt }) => listedAt !== '')
      .flatMap((field) => {
        // Variants that use the same option list it once.
        const values = new Set(texts.map((each) => each[field.pointer]?.trim() ?? '').filter((text) => text !== ''));
        return [...values].map((text) => ({ step, field, text }));
      });
  });
  if (chosen.length === 0) return null;
  return (
    <dl className="grid gap-1.25 sm">
      {chosen.map(({ step, field, text }) => (
        <ChosenOption
          key={`${step.key} ${field.pointer} ${text}`}
          actionType={step.action}
          {...{ field, text }}
          countries={form.countries}
        />
      ))}
    </dl>
  );
}

interface ChosenOptionProps {
  actionType: string;
  field: LeafField;
  text: string;
  countries: readonly string[];
}

function ChosenOption({ actionType, field: { pointer, label }, text, countries }: ChosenOptionProps) {
  const { option, isUnknown } = useNamedOption({ actionType, countries, pointer }, text);
  const optionName = option?.label ?? null;
  const only = option?.countries ?? null;
  const missing = only !== null ? countries.filter((country) => !only.includes(country)) : [];
  return (
    <div className="flex justify-between gap-3">
      <dt className="flex-none text-faint">{label}</dt>
      <dd className="min-w-0 text-right wrap-anywhere">
        {optionName ?? text} {optionName !== null && <span className="mono t3">{text}</span>}
        {isUnknown && <span className="block c-warn">not in the list of {quotedTitleOf(actionType)}</span>}
        {missing.length > 0 && <span className="block c-warn">not in {missing.join(', ')}</span>}
      </dd>
    </div>
  );
}
