/** Do board, check, next, marks, reconcile and the scripts agree on every story of generated projects? */
import { verifies } from "../../support/requirements.ts";
import { agreeOnProjects } from "../../support/work_agree.ts";

Deno.test(
  verifies("work:agree", "board, check, next, mark, reconcile and the scripts agree in every form"),
  async () => void await agreeOnProjects(25, 20_261_117),
);
