import { AREA_PATH } from "../page/page.js";

/** Which of the first steps an account has taken. What its environment cannot do is no step. */
interface Done {
  key: boolean;
  label?: boolean;
  webhook: boolean;
}

interface Step {
  isDone: boolean;
  title: string;
  why: string;
  /** Where it is done. */
  path: string;
  button: string;
}

/** The next steps of a new account; nothing once all are done. Viewers see how far the account has got. */
export function NextSteps({ base, isAdmin, done }: { base: string; isAdmin: boolean; done: Done }) {
  const steps = stepsOf(base, done);
  const next = steps.find(({ isDone }) => !isDone);
  if (!next) return null;
  return (
    <section class="steps" aria-labelledby="next-steps">
      <h2 id="next-steps">Next steps</h2>
      <ol>
        {steps.map((step) => (
          <li class={step.isDone ? "done" : undefined}>
            <div>
              <strong>{step.title}</strong> {step.isDone && <span class="tag good">Done</span>}
              {!step.isDone && <p class="hint">{step.why}</p>}
            </div>
            {step === next && isAdmin && (
              <a class="button" href={step.path}>
                {step.button}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function stepsOf(base: string, done: Done): Step[] {
  return [
    {
      isDone: done.key,
      title: "Create an API key",
      why: "Your program needs one to call the API.",
      path: `${base}/keys/new`,
      button: "Create key",
    },
    ...(done.label === undefined
      ? []
      : [
          {
            isDone: done.label,
            title: "Create your first label",
            why: "Create an order, a shipment and a label with commands that you can copy.",
            path: `${AREA_PATH}/quick-start`,
            button: "Open the quick start",
          },
        ]),
    {
      isDone: done.webhook,
      title: "Subscribe to events",
      why: "Receive events as they happen instead of polling the API.",
      path: `${base}/webhooks/new`,
      button: "Create subscription",
    },
  ];
}
