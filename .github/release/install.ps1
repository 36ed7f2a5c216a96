# Installs bmad-mcp on Windows:
#
#     irm https://github.com/OWNER/bmad-mcp/releases/latest/download/install.ps1 | iex
#
# Downloads the archive for this machine, checks it against SHA256SUMS, runs the program once and only then replaces an
# older one. Changes nothing else, not even PATH. The last line calls the function that does all the work, so that a
# truncated download does nothing.
#
#     $env:BMAD_MCP_VERSION        the version, such as 0.1.0; default: the latest
#     $env:BMAD_MCP_INSTALL_DIR    the folder; default: %LOCALAPPDATA%\Programs\bmad-mcp
#     $env:BMAD_MCP_BASE_URL       a mirror of the releases with the layout of GitHub; default: GitHub

function Install-BmadMcp {
  $ErrorActionPreference = 'Stop'
  # The progress bar of Windows PowerShell makes downloads many times slower.
  $ProgressPreference = 'SilentlyContinue'
  [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor 3072

  $base = 'https://github.com/OWNER/bmad-mcp/releases'
  if ($env:BMAD_MCP_BASE_URL) { $base = $env:BMAD_MCP_BASE_URL }
  $dir = Join-Path $env:LOCALAPPDATA 'Programs\bmad-mcp'
  if ($env:BMAD_MCP_INSTALL_DIR) { $dir = $env:BMAD_MCP_INSTALL_DIR }
  $sums = "$base/latest/download"
  if ($env:BMAD_MCP_VERSION) { $sums = "$base/download/v" + $env:BMAD_MCP_VERSION.TrimStart('v') }

  # In a 32-bit shell the first variable describes the shell, and the second the machine.
  $processor = $env:PROCESSOR_ARCHITECTURE
  if ($env:PROCESSOR_ARCHITEW6432) { $processor = $env:PROCESSOR_ARCHITEW6432 }
  switch ($processor) {
    'AMD64' { $machine = 'x64' }
    'ARM64' { $machine = 'arm64' }
    default { throw "Cannot install bmad-mcp: unsupported processor $processor, only AMD64 and ARM64 are available" }
  }

  $tmp = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
  New-Item -ItemType Directory -Path $tmp | Out-Null
  try {
    Invoke-WebRequest -UseBasicParsing "$sums/SHA256SUMS" -OutFile "$tmp\SHA256SUMS"
    $line = Get-Content "$tmp\SHA256SUMS" |
      Where-Object { $_ -match "^([0-9a-f]{64})  (bmad-mcp-([0-9A-Za-z.+-]+)-windows-$machine\.zip)$" }
    if (-not $line) {
      throw "Cannot install bmad-mcp: SHA256SUMS of that release has no archive for windows-$machine"
    }
    $sum, $archive = $line -split '  '
    $version = $archive -replace '^bmad-mcp-' -replace "-windows-$machine\.zip$"

    Write-Host "Downloading bmad-mcp $version for windows-$machine"
    Invoke-WebRequest -UseBasicParsing "$base/download/v$version/$archive" -OutFile "$tmp\$archive"
    if ((Get-FileHash -Algorithm SHA256 "$tmp\$archive").Hash -ne $sum) {
      throw "Cannot install bmad-mcp: $archive does not match SHA256SUMS; try again, and report it if that fails too"
    }
    Expand-Archive "$tmp\$archive" -DestinationPath "$tmp\new"
    $said = & "$tmp\new\bmad-mcp.exe" --version
    if ($LASTEXITCODE -ne 0) {
      throw 'Cannot install bmad-mcp: the program does not start on this machine; an earlier version is untouched'
    }

    New-Item -ItemType Directory -Force -Path $dir | Out-Null
    $program = Join-Path $dir 'bmad-mcp.exe'
    # A running program cannot be overwritten, but it can be renamed. One from an earlier update may still be running, so
    # each gets a unique name; they are removed once nothing runs them.
    Remove-Item -Force -ErrorAction SilentlyContinue "$program.*.old"
    $old = "$program.$([Guid]::NewGuid()).old"
    if (Test-Path $program) { Move-Item -Force $program $old }
    try {
      Move-Item "$tmp\new\bmad-mcp.exe" $program
    } catch {
      if (Test-Path $old) { Move-Item -Force $old $program }
      throw
    }
    Remove-Item -Force -ErrorAction SilentlyContinue $old

    Write-Host "Installed $said as $program"
    if (($env:PATH -split ';') -notcontains $dir) {
      Write-Host @"
That folder is not on your PATH. These lines add it; then restart your terminal and your clients:

    `$path = [Environment]::GetEnvironmentVariable('PATH', 'User')
    [Environment]::SetEnvironmentVariable('PATH', "`$path;$dir", 'User')

"@
    }
    Write-Host 'Connect your clients: bmad-mcp install'
  } finally {
    Remove-Item -Recurse -Force -ErrorAction SilentlyContinue $tmp
  }
}

Install-BmadMcp
