/**
 * A BMAD root of any size, in the compiled layout, which the peer reads too.
 */

/** A compiled root: modules of a thousand agents and workflows, each workflow with more files. */
export function makeRoot(dir: string, agents: number, workflows: number, filesEach: number): void {
  const rows = {
    agent: ["name,displayName,title,icon,role,identity,communicationStyle,principles,module,path"],
    workflow: ["name,description,module,path"],
  };
  const write = (path: string, text: string) => {
    Deno.mkdirSync(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${dir}/${path}`, text);
  };
  for (let i = 0; i < agents; i++) {
    const module = `m${Math.floor(i / 1_000)}`;
    const path = `bmad/${module}/agents/agent-${i}.md`;
    write(
      path,
      `---\nname: agent ${i}\ndescription: Agent number ${i}\n---\n\n<agent id="a" name="N${i}" title="Agent ${i}" icon="x">\n<persona><role>Role ${i}</role>` +
        `<identity>Somebody</identity></persona><menu><item cmd="*go" workflow="{project-root}/bmad/${module}/workflows/flow-${i}/workflow.yaml">Go</item></menu></agent>\n`,
    );
    rows.agent.push(
      `"agent-${i}","N${i}","Agent ${i}","x","Role ${i}","Somebody","Plain","None","${module}","${path}"`,
    );
  }
  for (let i = 0; i < workflows; i++) {
    const module = `m${Math.floor(i / 1_000)}`;
    const path = `bmad/${module}/workflows/flow-${i}/workflow.yaml`;
    write(
      path,
      `name: flow-${i}\ndescription: Workflow number ${i}\ninstalled_path: "{project-root}/bmad/${module}/workflows/flow-${i}"\n`,
    );
    for (let n = 0; n < filesEach; n++) {
      write(path.replace("workflow.yaml", `steps/step-${n}.md`), `# Step ${n}\n`);
    }
    rows.workflow.push(`"flow-${i}","Workflow number ${i}","${module}","${path}"`);
  }
  write("bmad/_cfg/agent-manifest.csv", rows.agent.join("\n"));
  write("bmad/_cfg/workflow-manifest.csv", rows.workflow.join("\n"));
  write("bmad/_cfg/manifest.yaml", "installation:\n  version: 6.0.0-alpha.7\nmodules: [m0]\n");
}
