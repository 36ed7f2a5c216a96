# Installs bmad-mcp on Windows:
#
#     irm https://github.com/OWNER/bmad-mcp/releases/latest/download/install.ps1 | iex
#
# Downloads the archive for this machine over https, checks it against SHA256SUMS and, where gh or cosign is installed,
# against the attestation of where it was built, runs the program once and only then replaces an older one. Changes
# nothing else, not even PATH. The last line calls the function that does all the work, so that a truncated download does
# nothing.
#
#     $env:BMAD_MCP_VERSION        the version, such as 0.1.0; default: the latest
#     $env:BMAD_MCP_INSTALL_DIR    the folder; default: %LOCALAPPDATA%\Programs\bmad-mcp
#     $env:BMAD_MCP_BASE_URL       a mirror of the releases with the layout of GitHub; default: GitHub
#     $env:BMAD_MCP_VERIFY         attestation: refuse to install without it; checksum: check nothing else

function Install-BmadMcp {
  $ErrorActionPreference = 'Stop'
  # The progress bar of Windows PowerShell makes everything many times slower.
  $ProgressPreference = 'SilentlyContinue'
  [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor 3072

  $base = 'https://github.com/OWNER/bmad-mcp/releases'
  if ($env:BMAD_MCP_BASE_URL) { $base = $env:BMAD_MCP_BASE_URL }
  $dir = Join-Path $env:LOCALAPPDATA 'Programs\bmad-mcp'
  if ($env:BMAD_MCP_INSTALL_DIR) { $dir = $env:BMAD_MCP_INSTALL_DIR }
  # Only a mirror on this machine may use http.
  $allowed = '^https://'
  if ($base -match '^http://(127\.0\.0\.1|localhost):[0-9]+(/|$)') { $allowed = '^http://(127\.0\.0\.1|localhost):' }
  if ($base -notmatch $allowed) { throw "Cannot install bmad-mcp: BMAD_MCP_BASE_URL $base must begin with https://" }
  $check = "$env:BMAD_MCP_VERIFY"
  if (@('', 'attestation', 'checksum') -notcontains $check) {
    throw "Cannot install bmad-mcp: unknown BMAD_MCP_VERIFY $check; use attestation or checksum"
  }
  $sums = "$base/latest/download"
  $wanted = "$env:BMAD_MCP_VERSION".TrimStart('v')
  if ($wanted) { $sums = "$base/download/v$wanted" }

  # Follows redirects itself, because Windows PowerShell would also follow one that leaves https.
  function Save-Url([string]$url, [string]$file) {
    for ($hop = 0; $hop -lt 10; $hop++) {
      if ($url -notmatch $allowed) { throw "Cannot install bmad-mcp: $url is an address without https" }
      $request = [Net.WebRequest]::Create($url)
      $request.AllowAutoRedirect = $false
      $request.UserAgent = 'bmad-mcp-install'
      $response = $request.GetResponse()
      try {
        $next = $response.Headers['Location']
        if (-not $next) {
          $target = [IO.File]::Create($file)
          try { $response.GetResponseStream().CopyTo($target) } finally { $target.Dispose() }
          return
        }
      } finally {
        $response.Close()
      }
      $url = [Uri]::new([Uri]$url, $next).AbsoluteUri
    }
    throw "Cannot install bmad-mcp: $url redirects too often"
  }

  # The program that can verify an attestation, if one is installed and recent enough.
  function Find-Verifier {
    if (Get-Command gh -CommandType Application -ErrorAction SilentlyContinue) {
      if ((gh attestation verify --help | Out-String) -match '--source-ref') { return 'gh' }
    }
    if (Get-Command cosign -CommandType Application -ErrorAction SilentlyContinue) {
      if ((cosign verify-blob-attestation --help | Out-String) -match '--new-bundle-format') { return 'cosign' }
    }
  }

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
    Save-Url "$sums/SHA256SUMS" "$tmp\SHA256SUMS"
    $line = Get-Content "$tmp\SHA256SUMS" |
      Where-Object { $_ -match "^([0-9a-f]{64})  (bmad-mcp-([0-9A-Za-z.+-]+)-windows-$machine\.zip)$" }
    if (-not $line) {
      throw "Cannot install bmad-mcp: SHA256SUMS of that release has no archive for windows-$machine"
    }
    $sum, $archive = $line -split '  '
    $version = $archive -replace '^bmad-mcp-' -replace "-windows-$machine\.zip$"
    if ($wanted -and $version -ne $wanted) {
      throw "Cannot install bmad-mcp: SHA256SUMS of version $wanted is of version $version"
    }

    Write-Host "Downloading bmad-mcp $version for windows-$machine"
    Save-Url "$base/download/v$version/$archive" "$tmp\$archive"
    if ((Get-FileHash -Algorithm SHA256 "$tmp\$archive").Hash -ne $sum) {
      throw "Cannot install bmad-mcp: $archive does not match SHA256SUMS; try again, and report it if that fails too"
    }

    $verifier = $null
    if ($check -ne 'checksum') { $verifier = Find-Verifier }
    $workflow = 'OWNER/bmad-mcp/.github/workflows/release.yml'
    $bundle = "$tmp\bmad-mcp-$version.sigstore.json"
    if ($verifier) {
      try {
        Save-Url "$base/download/v$version/bmad-mcp-$version.sigstore.json" $bundle
      } catch {
        throw "Cannot install bmad-mcp: the release has no attestation ($_); set BMAD_MCP_VERIFY=checksum to install without it"
      }
      if ($verifier -eq 'gh') {
        gh attestation verify "$tmp\$archive" --bundle $bundle --repo OWNER/bmad-mcp --hostname github.com `
          --signer-workflow $workflow --source-ref "refs/tags/v$version" --deny-self-hosted-runners | Out-Null
      } else {
        cosign verify-blob-attestation --new-bundle-format --bundle $bundle --type slsaprovenance1 `
          --certificate-oidc-issuer https://token.actions.githubusercontent.com `
          --certificate-identity "https://github.com/$workflow@refs/tags/v$version" "$tmp\$archive" | Out-Null
      }
      if ($LASTEXITCODE -ne 0) {
        throw "Cannot install bmad-mcp: $verifier does not accept the attestation of $archive, so it may not be what was released; report it"
      }
      Write-Host "Checked: SHA256SUMS, and with $verifier that the release workflow built it for v$version"
    } elseif ($check -eq 'attestation') {
      throw 'Cannot install bmad-mcp: a recent gh or cosign is required to verify the attestation; install one of them'
    } elseif ($check -eq 'checksum') {
      Write-Host 'Checked: SHA256SUMS only, as BMAD_MCP_VERIFY says'
    } else {
      Write-Host 'Checked: SHA256SUMS only; install gh or cosign to verify where it was built as well'
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
