import type { ActionType } from '#client/types.gen.ts';
import type { StepForm, VariantForm } from '../../../parts/campaign/form.ts';
import type { ParamsForm } from '../../../parts/campaign/params-form.ts';
import {
  addVariant,
  maxVariants,
  mergeStep,
  removeVariant,
  splitIndexOf,
  splitStep,
  sumOfShares,
} from '../../../parts/campaign/variant-forms.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { TextInput } from '../../../parts/controls/controls.tsx';
import { FieldGroup, FormField } from '../../../parts/forms/form-field.tsx';
import { SchemaForm } from '../../../parts/forms/schema-form.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';
import type { Editor } from '../form/use-editor.ts';
import { ParamsTools } from './params-tools.tsx';

interface StepVariantsProps {
  editor: Editor;
  step: StepForm;
  index: number;
  type: ActionType | undefined;
}

/**
 * Variants of a step. The first step with variants has their names and shares. Later steps have only the parameters of
 * these variants.
 */
export function StepVariants({ editor: { form, change }, step, index, type }: StepVariantsProps) {
  const { variants, countries } = form;
  const number = index + 1;
  const splitIndex = splitIndexOf(form.steps);
  const { ofVariants } = step;
  if (ofVariants === null) {
    const follows = splitIndex >= 0 && splitIndex < index;
    return (
      <div className="row flex-wrap gap-x-2 gap-y-1">
        <Button small icon="plus" onClick={() => change(splitStep(form, index))}>
          {follows ? 'Vary this step too' : 'Variants'}
          <span className="sr-only"> of step {number}</span>
        </Button>
        <span className="t3 sm">
          {follows
            ? `now the same for the users of ${listOf(variants)}`
            : 'compare 2 to 4 versions of this step, each with its share of the users'}
        </span>
      </div>
    );
  }
  const isSplit = splitIndex === index;
  const put = (variant: VariantForm, params: ParamsForm) =>
    change({ steps: form.steps.with(index, { ...step, ofVariants: { ...ofVariants, [variant.key]: params } }) });
  return (
    <FieldGroup
      pointer={`/chain/${index}/variants`}
      label="Variants"
      note={isSplit ? 'each user gets one of them' : `users keep the variant that they have in step ${splitIndex + 1}`}
      className="grid gap-2"
    >
      {variants.map((variant, place) => (
        <VariantFields
          key={variant.key}
          {...{ variant, step, type, countries, isSplit }}
          pointer={`/chain/${index}/variants/${place}`}
          params={ofVariants[variant.key] ?? { texts: {}, asJson: false }}
          onVariant={(changed) => change({ variants: variants.with(place, changed) })}
          onParams={(params) => put(variant, params)}
          onRemove={isSplit && variants.length > 2 ? () => change(removeVariant(form, variant.key)) : undefined}
        />
      ))}
      {isSplit && <SharesLine variants={variants} />}
      <div className="row flex-wrap gap-2">
        {isSplit && variants.length < maxVariants && (
          <Button small icon="plus" onClick={() => change(addVariant(form))}>
            Variant
          </Button>
        )}
        <Button small onClick={() => change(mergeStep(form, index))}>
          Without variants
          <span className="sr-only"> in step {number}</span>
        </Button>
      </div>
      {isSplit && (
        <FormField
          pointer="/splitSeed"
          label="Split seed"
          hint="The same seed puts the same users into the same variants in every run. Empty: each run divides its users anew"
          className="max-w-80 phone:max-w-none"
        >
          {(control) => (
            <TextInput
              {...control}
              value={form.splitSeed}
              placeholder="none"
              onText={(splitSeed) => change({ splitSeed })}
            />
          )}
        </FormField>
      )}
    </FieldGroup>
  );
}

interface VariantFieldsProps {
  variant: VariantForm;
  params: ParamsForm;
  step: StepForm;
  type: ActionType | undefined;
  countries: readonly string[];
  pointer: string;
  /** True if the step divides the users: names and shares can be edited. */
  isSplit: boolean;
  onVariant: (variant: VariantForm) => void;
  onParams: (params: ParamsForm) => void;
  /** Undefined if there are only two variants, or an earlier step has them. */
  onRemove: (() => void) | undefined;
}

function VariantFields(props: VariantFieldsProps) {
  const { variant, params, step, type, countries, pointer, isSplit, onVariant, onParams, onRemove } = props;
  const name = variant.name.trim() === '' ? 'without a name' : variant.name;
  return (
    <div role="group" aria-label={`Variant ${name}`} className="grid gap-2 pt-2.5 border-t border-line">
      <div className={`flex flex-wrap gap-x-3 gap-y-2 ${isSplit ? 'items-end' : 'items-center'}`}>
        {isSplit ? (
          <>
            <FormField pointer={`${pointer}/name`} label="Variant" className="flex-[1_1_140px] max-w-60">
              {(control) => (
                <TextInput {...control} value={variant.name} onText={(text) => onVariant({ ...variant, name: text })} />
              )}
            </FormField>
            <FormField pointer={`${pointer}/weight`} label="Share" className="w-24">
              {(control) => (
                <TextInput
                  {...control}
                  inputMode="decimal"
                  unit="%"
                  value={variant.weight}
                  onText={(weight) => onVariant({ ...variant, weight })}
                />
              )}
            </FormField>
          </>
        ) : (
          <b className="font-medium">
            {variant.name} <span className="t3 font-normal">{variant.weight} %</span>
          </b>
        )}
        <span className="tools ml-auto">
          <ParamsTools {...{ action: step.action, params, type, countries }} onChange={onParams} />
          {onRemove && <Button small kind="ghost" icon="x" label={`Remove variant ${name}`} onClick={onRemove} />}
        </span>
      </div>
      <SchemaForm
        pointer={`${pointer}/params`}
        schema={type?.paramsSchema}
        texts={params.texts}
        asJson={params.asJson}
        onTexts={(texts) => onParams({ ...params, texts })}
        optionsOf={{ actionType: step.action, countries }}
      />
    </div>
  );
}

/** Sum of the shares, which has to be 100 %. */
function SharesLine({ variants }: { variants: readonly VariantForm[] }) {
  const sum = sumOfShares(variants);
  if (sum === null) return null;
  const isWhole = sum === 100;
  return (
    <p className={`row gap-1 sm ${isWhole ? 't2' : 'c-warn'}`} role="status">
      <Icon name={isWhole ? 'done' : 'warn'} size={12} />
      {isWhole ? 'The shares add up to 100 %' : `The shares add up to ${sum} % so far; 100 % are needed`}
    </p>
  );
}

function listOf(variants: readonly VariantForm[]): string {
  const names = variants.map(({ name }) => name);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
