import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getRunReportOptions, resumeRunMutation } from '#client/@tanstack/react-query.gen.ts';
import type { RateDifference, RunVariant } from '#client/types.gen.ts';
import { useCurrentMinute } from '../../../parts/browser/now.ts';
import { FieldGroup, FormProblemsContext } from '../../../parts/forms/form-field.tsx';
import { useFormErrors } from '../../../parts/forms/use-form-errors.ts';
import { Effects } from '../../../parts/overlays/effects.tsx';
import { useFormatTime } from '../../../parts/times/zone.ts';
import { Differences } from '../../../parts/variants/differences.tsx';
import { ratesOfVariant } from '../../../parts/variants/variant-figures.ts';
import { quotedTitleOf } from '../../../parts/words/action-titles.ts';
import { countOf } from '../../../parts/words/numbers.ts';
import { ControlDialog, type RunDialogProps } from './control-dialog.tsx';
import { choiceEffects } from './decision-effects.ts';
import { useCancelPreview } from './use-cancel-preview.ts';

/** Choice of the variant of all users outside the canary, which resumes the run. No variant is selected at first. */
export function ChooseVariantDialog({ progress, onClose, onDone }: RunDialogProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const nowMs = useCurrentMinute();
  const timeOf = useFormatTime();
  const path = { id: progress.runId };
  const { data: preview } = useCancelPreview(progress.runId);
  const { data: report, isError } = useQuery(getRunReportOptions({ path }));
  const resume = useMutation({ ...resumeRunMutation(), onSuccess: onDone });
  const problems = useFormErrors(resume.error);
  const differences = report?.differences ?? [];
  return (
    <ControlDialog
      {...{ progress, onClose }}
      title="Choose a variant"
      keepLabel="Stay paused"
      confirmLabel="Choose this variant"
      icon="play"
      isWide
      isReady={chosen !== null}
      mutation={resume}
      onConfirm={(body) => chosen !== null && resume.mutate({ path, body: { ...body, variant: chosen } })}
    >
      <FormProblemsContext value={problems}>
        <FieldGroup pointer="/variant" label="Variant of all other users" className="grid gap-1.5">
          {(report ?? progress).variants.map((variant, place) => (
            <VariantOption
              key={variant.name}
              {...{ variant, differences }}
              isFirst={place === 0}
              isChosen={variant.name === chosen}
              onChoose={() => setChosen(variant.name)}
            />
          ))}
        </FieldGroup>
      </FormProblemsContext>
      <DifferencesBySteps differences={differences} />
      {isError && <p className="t2 sm">The differences could not be read. The figures above are those of this page.</p>}
      <Effects effects={choiceEffects(progress, chosen, { preview, nowMs, timeOf })} />
    </ControlDialog>
  );
}

interface VariantOptionProps {
  variant: RunVariant;
  differences: readonly RateDifference[];
  isFirst: boolean;
  isChosen: boolean;
  onChoose: () => void;
}

function VariantOption({ variant, differences, isFirst, isChosen, onChoose }: VariantOptionProps) {
  const { name, users } = variant;
  const ofSteps = ratesOfVariant(variant, differences);
  return (
    <label
      className={`box flex items-center gap-2.5 py-2 px-3 cursor-pointer ${isChosen ? 'border-ink bg-sunken' : ''}`}
    >
      <input
        type="radio"
        name="variant"
        className="accent-ink m-0"
        checked={isChosen}
        onChange={onChoose}
        {...(isFirst && { 'data-autofocus': true })}
      />
      <span className="grid items-center flex-1 min-w-0 grid-cols-[minmax(0,1fr)_minmax(0,2fr)] gap-x-3 gap-y-1 phone:grid-cols-1">
        <span className="min-w-0 wrap-anywhere">
          <b className="font-medium">{name}</b> <span className="t2 sm">{countOf(users, 'user')}</span>
        </span>
        <span className="grid gap-0.5 sm">
          {ofSteps.map(({ step, action, rates }) => (
            <span key={step}>
              {variant.steps.length > 1 && <span className="t2">{quotedTitleOf(action)}: </span>}
              {rates.join(' · ')}
            </span>
          ))}
        </span>
      </span>
    </label>
  );
}

function DifferencesBySteps({ differences }: { differences: readonly RateDifference[] }) {
  const bySteps = [...Map.groupBy(differences, ({ step }) => step).values()];
  return bySteps.map((ofStep) => (
    <div key={ofStep[0]?.step} className="box">
      <Differences
        differences={ofStep}
        title={`Differences in ${quotedTitleOf(ofStep[0]?.action ?? '')}, canary users`}
      />
    </div>
  ));
}
