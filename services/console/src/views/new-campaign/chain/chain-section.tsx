import { Button } from '../../../parts/controls/button.tsx';
import { Select, TextInput } from '../../../parts/controls/controls.tsx';
import { FieldGroup, FormField, ProblemsAt } from '../../../parts/forms/form-field.tsx';
import { SchemaForm } from '../../../parts/forms/schema-form.tsx';
import type { ActionType } from '#client/types.gen.ts';
import { budgetCountries, newStep } from '../../../parts/campaign/form-definition.ts';
import { checkFallbacks, type CheckFallback, type StepForm } from '../../../parts/campaign/form.ts';
import { FormSection } from '../form/form-section.tsx';
import type { Editor } from '../form/use-editor.ts';
import { ParamsTools } from './params-tools.tsx';
import { StepVariants } from './step-variants.tsx';
import { titleOf } from '../../../parts/words/action-titles.ts';

const note = 'in this order; a step runs only for users who passed the previous one';

export function ChainSection({ editor }: { editor: Editor }) {
  const { form, change, types } = editor;
  const enabled = types.filter(({ enabled: isOn, check }) => isOn && !check);
  const put = (index: number, step: StepForm) => change({ steps: form.steps.with(index, step) });
  const move = (index: number, by: 1 | -1) => {
    const steps = [...form.steps];
    const [moved] = steps.splice(index, 1);
    if (moved) steps.splice(index + by, 0, moved);
    change({ steps });
  };
  const add = (action: string) => change({ steps: [...form.steps, newStep(action, types, freeKey(form.steps))] });
  return (
    <FormSection section="chain" number={2} note={note}>
      <FieldGroup pointer="/chain" label="Steps" isLabelHidden className="grid gap-2">
        {form.steps.map((step, index) => (
          <StepCard
            key={step.key}
            {...{ editor, step, index }}
            onChange={(changed) => put(index, changed)}
            onMove={(by) => move(index, by)}
            onRemove={() => change({ steps: form.steps.filter((each) => each !== step) })}
          />
        ))}
        {form.steps.length < 20 && (
          <div className="max-w-47.5 phone:max-w-none">
            <Select
              aria-label="Add a step"
              placeholder="+ Step…"
              value=""
              choices={enabled.map(({ name, title }) => ({ value: name, label: title }))}
              onChoose={add}
            />
          </div>
        )}
      </FieldGroup>
      {form.countries.length > 0 && form.steps.length > 0 && <Budgets editor={editor} />}
    </FormSection>
  );
}

interface StepCardProps {
  editor: Editor;
  step: StepForm;
  index: number;
  onChange: (step: StepForm) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}

function StepCard({ editor, step, index, onChange, onMove, onRemove }: StepCardProps) {
  const { form, types } = editor;
  const { countries } = form;
  const type = types.find(({ name }) => name === step.action);
  const number = index + 1;
  const title = titleOf(step.action);
  const pointer = `/chain/${index}`;
  const others = <OtherFields {...{ step, index, types, onChange }} />;
  return (
    <div className="border border-line rounded-md min-w-0" role="group" aria-label={`Step ${number}, ${title}`}>
      <div className="flex flex-wrap items-center gap-y-1 gap-x-2 pr-1.5 pl-3 py-1.5 border-b border-line">
        <b>
          {number}&ensp;{title}
        </b>
        <span className="t3 sm flex-[1_1_160px] min-w-0">{type ? describeType(type) : 'no longer registered'}</span>
        <span className="tools ml-auto">
          {step.ofVariants === null && (
            <ParamsTools
              {...{ action: step.action, params: step, type, countries }}
              onChange={(params) => onChange({ ...step, ...params })}
            />
          )}
          <Button
            small
            kind="ghost"
            icon="up"
            label={`Move step ${number} up`}
            disabled={index === 0}
            onClick={() => onMove(-1)}
          />
          <Button
            small
            kind="ghost"
            icon="dn"
            label={`Move step ${number} down`}
            disabled={index === form.steps.length - 1}
            onClick={() => onMove(1)}
          />
          <Button small kind="ghost" icon="x" label={`Remove step ${number}`} onClick={onRemove} />
        </span>
      </div>
      <div className="grid gap-3 px-3 pt-2.5 pb-3">
        <ProblemsAt pointer={pointer} />
        {step.ofVariants === null && (
          <SchemaForm
            pointer={`${pointer}/params`}
            schema={type?.paramsSchema}
            texts={step.texts}
            asJson={step.asJson}
            onTexts={(texts) => onChange({ ...step, texts })}
            optionsOf={{ actionType: step.action, countries }}
          >
            {others}
          </SchemaForm>
        )}
        <StepVariants {...{ editor, step, index, type }} />
        {step.ofVariants !== null && (
          <div className="grid grid-cols-[repeat(auto-fill,minmax(190px,1fr))] gap-3 items-start pt-2.5 border-t border-line">
            {others}
          </div>
        )}
      </div>
    </div>
  );
}

/** Cost and check of a step, which are equal for all its users. */
function OtherFields({ step, index, types, onChange }: CheckFieldsProps) {
  return (
    <>
      <FormField pointer={`/chain/${index}/unitsPerUser`} label="Cost per user" hint="In units of the budgets below">
        {(control) => (
          <TextInput
            {...control}
            inputMode="numeric"
            placeholder="no cost"
            value={step.unitsPerUser}
            onText={(unitsPerUser) => onChange({ ...step, unitsPerUser })}
          />
        )}
      </FormField>
      <CheckFields {...{ step, index, types, onChange }} />
    </>
  );
}

interface CheckFieldsProps {
  step: StepForm;
  index: number;
  types: readonly ActionType[];
  onChange: (step: StepForm) => void;
}

/** Fields for the check of a step. Renders nothing if there is no check to choose. */
function CheckFields({ step, index, types, onChange }: CheckFieldsProps) {
  const checks = types.filter(({ check, enabled }) => check && enabled).map(({ name }) => name);
  const names = step.check === '' || checks.includes(step.check) ? checks : [...checks, step.check];
  if (names.length === 0) return null;
  return (
    <>
      <FormField
        pointer={`/chain/${index}/check/type`}
        label="Check"
        hint="Called first: users that it refuses are not called"
      >
        {(control) => (
          <Select
            {...control}
            value={step.check === '' ? noCheckValue : step.check}
            choices={[
              { value: noCheckValue, label: 'none' },
              ...names.map((name) => ({ value: name, label: titleOf(name) })),
            ]}
            onChoose={(check) => onChange({ ...step, check: check === noCheckValue ? '' : check })}
          />
        )}
      </FormField>
      {step.check !== '' && (
        <FormField pointer={`/chain/${index}/check/onUnavailable`} label="If the check does not answer">
          {(control) => (
            <Select
              {...control}
              value={step.onUnavailable}
              choices={checkFallbacks.map((value) => ({ value, label: fallbackLabels[value] }))}
              onChoose={(onUnavailable) => onChange({ ...step, onUnavailable })}
            />
          )}
        </FormField>
      )}
    </>
  );
}

/** Value of the choice without a check. It is not a valid name of an action type. */
const noCheckValue = '-';

const fallbackLabels: Record<CheckFallback, string> = {
  wait: 'wait for it until the deadline',
  fail: 'users fail after the last attempt',
  call: 'users are called after the last attempt',
};

/**
 * Returns the description of an action type. If the type has none, describes how its endpoint handles repeated calls.
 */
function describeType(type: ActionType): string {
  const words = type.description ?? describeRepeats(type);
  return type.receipts
    ? `${words.replace(/\.$/, '')}; succeeded means accepted, delivery is counted separately`
    : words;
}

function describeRepeats({ class: kind, keyLifeSeconds }: ActionType): string {
  const days = Math.round(keyLifeSeconds / 86_400);
  const life = days >= 1 ? `${days} ${days === 1 ? 'day' : 'days'}` : `${Math.round(keyLifeSeconds / 60)} min`;
  return {
    A: `repeats are safe for ${life}`,
    B: `repeats are safe by user for ${life}`,
    C: 'never repeated without checking the outcome first',
    D: 'never repeated: without an answer, the outcome stays unknown',
  }[kind];
}

function Budgets({ editor: { form, change } }: { editor: Editor }) {
  const names = budgetCountries(form);
  return (
    <FieldGroup
      pointer="/budgets"
      label="Budgets"
      note="units, or money such as 5,000 EUR, for all runs together; never exceeded"
    >
      <div className="grid grid-cols-[repeat(auto-fill,minmax(150px,1fr))] gap-3">
        {form.countries.map((country) => {
          const place = names.indexOf(country);
          return (
            <FormField key={country} pointer={place < 0 ? `/budgets/${country}` : `/budgets/${place}`} label={country}>
              {(control) => (
                <TextInput
                  {...control}
                  inputMode="numeric"
                  placeholder="no limit"
                  value={form.budgets[country] ?? ''}
                  onText={(units) => change({ budgets: { ...form.budgets, [country]: units } })}
                />
              )}
            </FormField>
          );
        })}
      </div>
    </FieldGroup>
  );
}

function freeKey(steps: readonly StepForm[]): string {
  const taken = steps.map(({ key }) => Number(key.replace('step-', '')) || 0);
  return `step-${Math.max(0, ...taken) + 1}`;
}
