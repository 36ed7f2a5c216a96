/**
 * A small installation of 6.12: planning, build, review and retrospective, with their places in the help catalogue.
 */

const SKILLS = ["bmad-sprint-planning", "bmad-build", "bmad-code-review", "bmad-retrospective"];

export const BMM: Readonly<Record<string, string>> = {
  "_bmad/_config/manifest.yaml": "installation:\n  version: 6.12.0\nmodules:\n  - name: bmm\n",
  "_bmad/_config/skill-manifest.csv": "canonicalId,name,description,module,path\n" +
    SKILLS.map((id) => `${id},${id},Does it,bmm,_bmad/bmm/${id}/SKILL.md\n`).join(""),
  ...Object.fromEntries(
    SKILLS.map((id) => [`_bmad/bmm/${id}/SKILL.md`, `---\nname: ${id}\ndescription: Does it\n---\nDo it.\n`]),
  ),
  "_bmad/bmm/module-help.csv":
    "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by,required,output-location,outputs\n" +
    "BMad Method,bmad-sprint-planning,Plan,SP,Plans.,,,plan,,,true,implementation_artifacts,sprint status\n" +
    "BMad Method,bmad-build,Build,BD,Builds.,,,ship,bmad-sprint-planning,,true,implementation_artifacts,implementation\n" +
    "BMad Method,bmad-code-review,Review,CR,Reviews.,,,ship,bmad-build,,false,,\n" +
    "BMad Method,bmad-retrospective,Look back,RT,Looks back.,,,ship,bmad-code-review,,false,,\n",
  "_bmad/bmm/config.yaml":
    "output_folder: out\nplanning_artifacts: out/plan\nimplementation_artifacts: out/impl\n",
};
